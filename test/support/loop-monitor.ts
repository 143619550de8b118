import { appendFileSync } from 'node:fs'

/**
 * Runs in a daemon (`--import`), and adds a line to the file that its URL names for each time that the event loop was
 * blocked: milliseconds since the start, and how long. Only the main thread's own work counts, not the time in which
 * other programs used the processor. One turn of the loop may do the work of several requests.
 */
const file = new URL(import.meta.url).searchParams.get('file') ?? ''
const everyMs = 5
const leastMs = 15
let turned = performance.now()
let used = process.threadCpuUsage()

setInterval(() => {
  const now = performance.now()
  const { user, system } = process.threadCpuUsage(used)
  const blockedMs = Math.min(now - turned - everyMs, (user + system) / 1000)
  if (blockedMs > leastMs) appendFileSync(file, `${Math.round(now)} ${blockedMs.toFixed(1)}\n`)
  turned = performance.now()
  used = process.threadCpuUsage()
}, everyMs).unref()

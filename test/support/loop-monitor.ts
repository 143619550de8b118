import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Runs in a daemon (`--import`), and adds a line to the file that its URL names for each time that the event loop was
 * blocked: milliseconds since the start, and how long by the processor time of the main thread and by the clock. The
 * clock also counts the time in which other threads and programs used the processor. Node runs this file in worker
 * threads too, whose work blocks nobody. One turn of the loop may do the work of several requests.
 */
const file = new URL(import.meta.url).searchParams.get('file') ?? ''
const everyMs = 5
const leastMs = 15
let turned = performance.now()
let used = process.threadCpuUsage()

function look(): void {
  const now = performance.now()
  const { user, system } = process.threadCpuUsage(used)
  const clockMs = now - turned - everyMs
  const workedMs = Math.min(clockMs, (user + system) / 1000)
  if (clockMs > leastMs)
    appendFileSync(file, `${Math.round(now)} ${workedMs.toFixed(1)} ${clockMs.toFixed(1)}\n`)
  turned = performance.now()
  used = process.threadCpuUsage()
}

if (isMainThread) setInterval(look, everyMs).unref()

import { startDaemon } from '../../../src/daemon.ts'
import { configOf, written } from '../../config/config.ts'
import { logLines } from '../../telemetry/log-lines.ts'

export interface Addresses {
  readonly http: string
  readonly operations: string
  readonly control: string
}

export interface Cost {
  /** The longest time for which the event loop was held, in milliseconds of CPU time. */
  readonly blockedMs: number
  readonly rss: number
  readonly faults: readonly string[]
}

const tickMs = 2

async function run(send: (message: Addresses | Cost) => void): Promise<void> {
  const log = logLines('error')
  const config = configOf(
    written({
      network: 'localnet',
      'http.port': 0,
      'operations.port': 0,
      'auth.scanProxy': 'bearer',
      'ui.public': true,
      'names.acronym': 'cns',
    }),
  )
  const daemon = await startDaemon(config, { logger: log.logger })
  let blocked = 0
  let rss = 0
  let before = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    blocked = Math.max(blocked, (user + system) / 1000)
    rss = Math.max(rss, process.memoryUsage.rss())
  }, tickMs)
  process.on('message', () => {
    send({ blockedMs: blocked, rss, faults: log.written.splice(0) })
    blocked = 0
    rss = 0
  })
  process.on('disconnect', () => process.exit(0))
  send({ http: daemon.http, operations: daemon.operations, control: daemon.localnet?.control ?? '' })
}

await run((message) => process.send?.(message))

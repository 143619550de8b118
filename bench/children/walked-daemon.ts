import { Session } from 'node:inspector/promises'
import type { Daemon } from '../../src/daemon.ts'
import { serveParent } from '../child.ts'

/** How many files of `src/` were entered, and how many functions of them. */
export interface Walk {
  readonly files: number
  readonly functions: number
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

type Profiler = (method: string, params?: object) => Promise<unknown>

const source = new URL('../../src/', import.meta.url).href
const session = new Session()
session.connect()
const main = session.post.bind(session) as unknown as Profiler
/** The profilers of the other threads, by their session. */
const threads = new Map<string, Profiler>()
let daemon: Daemon | undefined

serveParent({
  /**
   * Starts a daemon in this process, and counts what it enters from the first line on.
   * @param settings the configuration, as in `NODE_CONFIG`.
   */
  async start(settings: object) {
    await begin(main)
    await followThreads()
    const { loadConfig } = await import('../../src/base/config/load.ts')
    const loaded = loadConfig({ env: { NODE_CONFIG: JSON.stringify(settings) } })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const { startDaemon } = await import('../../src/daemon.ts')
    daemon = await startDaemon(loaded.config, { processMetrics: true })
  },
  url: () => daemon?.http,
  /** Returns what was entered since the last call, by all threads. */
  async walked(): Promise<Walk> {
    const functions = new Map<string, number>()
    for (const profiler of [main, ...threads.values()]) {
      const { result } = (await profiler('Profiler.takePreciseCoverage')) as Coverage
      for (const script of result) {
        const entered = script.functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length
        if (entered > 0 && script.url.startsWith(source))
          functions.set(script.url, Math.max(entered, functions.get(script.url) ?? 0))
      }
    }
    return {
      files: functions.size,
      functions: [...functions.values()].reduce((sum, count) => sum + count, 0),
    }
  },
})

async function begin(profiler: Profiler): Promise<void> {
  await profiler('Profiler.enable')
  await profiler('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
}

/** Counts in each thread that starts from now on, too. */
async function followThreads(): Promise<void> {
  const replies = new Map<number, (result: unknown) => void>()
  let asked = 0
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message)
    replies.get(id)?.(result)
    replies.delete(id)
  })
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    const thread: Profiler = (method, params) =>
      new Promise((resolve) => {
        const id = ++asked
        replies.set(id, resolve)
        const message = JSON.stringify({ id, method, params })
        void session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
      })
    void begin(thread)
    threads.set(sessionId, thread)
  })
  session.on('NodeWorker.detachedFromWorker', ({ params }) => threads.delete(params.sessionId))
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
}

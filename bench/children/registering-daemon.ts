import { loadConfig } from '../../src/config/load.ts'
import { startDaemon } from '../../src/daemon.ts'
import { changedNames } from '../../src/names/changed-names.ts'
import { serveParent } from '../child.ts'

let url = ''
let entered = 0
let settle: () => Promise<void>

serveParent({
  /**
   * Starts a daemon in this process.
   * @param settings the configuration of a localnet with the embedded ledger, as in `NODE_CONFIG`.
   */
  async start(settings: object) {
    const loaded = loadConfig({ env: { NODE_CONFIG: JSON.stringify(settings) } })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const { http, names } = await startDaemon(loaded.config, { processMetrics: true })
    if (names === undefined) throw new Error('the daemon has no ledger of its own')
    url = http
    settle = () => names.runUntilIdle()
    changedNames(names.ledger, (changed) => {
      entered += changed.length
    })
  },
  url: () => url,
  /** Returns the CPU time that the thread which serves requests has used so far, in microseconds. */
  servingUs() {
    const { user, system } = process.threadCpuUsage()
    return user + system
  },
  /** Returns how many names changed so far. In the benchmark, each change is a registration. */
  entered: () => entered,
  /** Resolves when the daemon's automation has nothing left to do. */
  settle: () => settle(),
})

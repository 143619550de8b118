import { loadConfig } from '../../src/config/load.ts'
import { startDaemon } from '../../src/daemon.ts'
import { changedNames } from '../../src/names/changes.ts'
import { serveParent } from '../child.ts'

let url = ''
let entered = 0
let settle: () => Promise<void>

serveParent({
  /** @param settings as in `NODE_CONFIG`: of a localnet, whose daemon has the embedded ledger. */
  async start(settings: object) {
    const loaded = loadConfig({ env: { NODE_CONFIG: JSON.stringify(settings) } })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const { http, names } = await startDaemon(loaded.config, { processMetrics: true })
    if (names === undefined) throw new Error('the daemon has no ledger of its own')
    url = http
    settle = () => names.settle()
    changedNames(names.ledger, (changed) => {
      entered += changed.length
    })
  },
  url: () => url,
  /** CPU time used so far by the thread that serves, in microseconds. */
  servingUs() {
    const { user, system } = process.threadCpuUsage()
    return user + system
  },
  /** How many names were entered so far. */
  entered: () => entered,
  /** Resolves when automation has nothing left to do. */
  settle: () => settle(),
})

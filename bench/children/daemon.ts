import { loadConfig } from '../../src/base/config/load.ts'
import { collectGarbage } from '../../src/base/lib/collect-garbage.ts'
import { type Daemon, startDaemon } from '../../src/daemon.ts'
import { serveParent } from '../child.ts'

let daemon: Daemon | undefined

serveParent({
  /**
   * Starts a daemon in this process.
   * @param settings the configuration, as in `NODE_CONFIG`.
   */
  async start(settings: object) {
    const loaded = loadConfig({ env: { NODE_CONFIG: JSON.stringify(settings) } })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    daemon = await startDaemon(loaded.config, { processMetrics: true })
    collectGarbage()
  },
  url: () => daemon?.http,
  status: async () => (await fetch(`${daemon?.operations}/status`)).json(),
})

import type { Config } from '../base/config/resolve.ts'
import type { AdvancingClock } from '../base/lib/advancing-clock.ts'
import type { Base } from '../base/telemetry/open.ts'
import type { Touched } from '../registry/ledger/update.ts'
import { usualControlPort } from './control.ts'
import { startLocalnet } from './localnet.ts'

type LocalnetConfig = Pick<Config, 'localnet' | 'ledger' | 'operations'>

export interface OpenLocalnetDeps extends Pick<Base, 'logger' | 'events' | 'lastHour'> {
  readonly clock: AdvancingClock
}

/** The part of a read path that follows what happens on the localnet. */
interface Follower {
  readonly connections: { probeNow(superValidator: string): void }
  forgetVotes(): void
  forgetNames(names: Touched['names']): void
}

export async function openLocalnet(config: LocalnetConfig, deps: OpenLocalnetDeps) {
  const { localnet, operations, ledger } = config
  const { acronym, controlPort = 'usual' } = localnet
  const { clock, logger } = deps
  await using opened = new AsyncDisposableStack()
  /** Undefined if the scans show a made-up world, which has no ledger. */
  const names = opened.use(
    ledger.driver === 'embedded'
      ? await (await import('./automation/name-service.ts')).openNameService({ ...ledger, acronym }, deps)
      : undefined,
  )
  const runUntilIdle = names && (() => names.runUntilIdle())
  const nodes = opened.use(
    await startLocalnet(
      { ...localnet, controlPort, allowedHosts: operations.allowedHosts },
      { clock, ledger: names?.ledger, runUntilIdle },
    ),
  )
  const { control } = nodes
  if (controlPort === 'usual' && !control.endsWith(`:${usualControlPort}`))
    logger.warn({ control }, `port ${usualControlPort} is taken, so faults are set at another port`)
  const held = opened.move()
  return {
    nodes,
    names,
    seedUrls: nodes.superValidators.map(({ url }) => url),
    /**
     * Tells the read path from now on when a name changes or a scan is healed. When all are healed, the
     * daemon forgets who lied, so that a visitor begins anew.
     */
    start({ connections, forgetVotes, forgetNames }: Follower) {
      nodes.onHealed((name) => connections.probeNow(name))
      nodes.onAllHealed(() => {
        forgetVotes()
        deps.lastHour.forget()
      })
      const unwatch = names?.ledger.watch(({ names: touched }) => {
        if (touched.length > 0) forgetNames(touched)
      })
      held.defer(() => unwatch?.())
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

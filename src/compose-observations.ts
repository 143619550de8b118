import type { Config } from './config/resolve.ts'
import type { Clock } from './lib/clock.ts'
import { mostDocumentBytes } from './observations/epoch-document.ts'
import { type Listener, listenerOf } from './observations/listener.ts'
import { Peer } from './observations/peer.ts'
import { PeerComparison } from './observations/peer-comparison.ts'
import { Rounds } from './observations/peer-rounds.ts'
import { StatementsThread } from './observations/statements-thread.ts'
import type { KeyRing } from './receipts/key-ring.ts'
import { Budget } from './scan/in-flight-budget.ts'
import { createUndiciScanNode } from './scan/node.undici.ts'
import type { Events } from './telemetry/events.ts'
import type { Logger } from './telemetry/logger.ts'

export interface ObservationsDeps {
  /** This clock shows real time even on a localnet. */
  readonly clock: Clock
  readonly keys: Pick<KeyRing, 'signing'>
  readonly events: Pick<Events, 'splitView' | 'threadFailed'>
  readonly logger: Logger
}

/** Compares what super validators say to this daemon with what they say to its peers. */
export interface ComposedObservations
  extends Pick<PeerComparison, 'document' | 'cases' | 'status'>,
    AsyncDisposable {
  readonly listener: Listener
  start(): void
}

export function openObservations(
  { receipts, scanClient }: Pick<Config, 'receipts' | 'scanClient'>,
  { clock, keys, events, logger }: ObservationsDeps,
): ComposedObservations {
  const { allowHttp, allowPrivate } = scanClient
  const peers = Object.entries(receipts.peers).map(([name, { url, keys: keyids }]) => {
    events.splitView.knows(name)
    const budget = new Budget({ slots: 1, bytes: mostDocumentBytes })
    const options = { url, budget, allowHttp, allowPrivate, proxy: scanClient }
    return new Peer({ name, keyids }, { clock, node: createUndiciScanNode(options, { clock }) })
  })
  const failed = (error: unknown) => logger.error({ err: error }, 'observations cannot be compared')
  const signing = (wall: number) => keys.signing(wall).key
  const comparison = new PeerComparison({ clock, signing, peers, events: events.splitView })
  const thread = new StatementsThread(receipts.observes, {
    failed: (why) => events.threadFailed('observations', why),
  })
  const rounds = new Rounds({ clock, comparison, peers: peers.length, failed })
  return {
    listener: listenerOf(receipts.observes, {
      observe: (observation) => comparison.observe(observation),
      statedLater: (question, bytes) => thread.stated(question, bytes),
      failed,
    }),
    document: (epoch) => comparison.document(epoch),
    cases: () => comparison.cases(),
    status: () => comparison.status(),
    start: () => rounds.start(),
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      await thread[Symbol.asyncDispose]()
      await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()))
    },
  }
}

import { type FetchLabel, fetchOutcomes } from './catalogue.ts'
import type { Telling } from './telling.ts'

/** Reports what happens in the comparison with peers. */
export interface SplitViewTelemetry {
  /** Reports that metrics may name this peer from now on. */
  knows(peer: string): void
  /** Reports that an epoch was signed, and how many observations it had no room for. */
  published(observations: number, dropped: number): void
  /** Reports how the request for a note of this peer ended. `why` is absent if the note was verified. */
  fetched(peer: string, outcome: FetchLabel, why: string | undefined): void
  /** Reports that what this super validator said here contradicts what the peer says it said there. */
  filed(peer: string, sv: string): void
  /** Reports that the peer signed two notes of one epoch. */
  equivocated(peer: string): void
}

export function splitViewTelemetry({ metrics, logger, limited, quietly }: Telling): SplitViewTelemetry {
  return {
    knows: quietly((peer) => {
      metrics.admitPeer(peer)
      // The first increase of a counter is visible only if it was 0 before.
      metrics.split_view_cases_total.with({ peer })
      for (const outcome of fetchOutcomes) metrics.split_view_fetches_total.with({ peer, outcome })
    }),
    published: quietly((observations, dropped) => {
      metrics.split_view_observations_total.with({ outcome: 'published' }).inc(observations)
      metrics.split_view_observations_total.with({ outcome: 'dropped' }).inc(dropped)
    }),
    fetched: quietly((peer, outcome, why) => {
      metrics.split_view_fetches_total.with({ peer, outcome }).inc()
      if (outcome === 'verified' || outcome === 'missing') return
      limited.write('warn', `${peer} ${outcome}`, { peer, outcome, why }, 'a note of a peer was not used')
    }),
    filed: quietly((peer, sv) => {
      metrics.split_view_cases_total.with({ peer }).inc()
      logger.warn(
        { peer, sv },
        'a super validator told a peer another story, or a daemon lies; see /evidence',
      )
    }),
    equivocated: quietly((peer) => {
      metrics.split_view_cases_total.with({ peer }).inc()
      logger.warn({ peer }, 'a peer signed two notes of one epoch; see /evidence')
    }),
  }
}

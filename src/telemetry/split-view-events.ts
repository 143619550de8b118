import { type FetchLabel, fetchOutcomes } from './label-values.ts'
import type { Telling } from './telling.ts'

/**
 * Reports the events of the comparison between what super validators told this daemon and what they told its
 * peers.
 */
export interface SplitViewTelemetry {
  /** Reports that this peer is configured. Metrics may name the peer from this call on. */
  knows(peer: string): void
  /**
   * Reports that this daemon signed the observations of an epoch.
   * @param observations how many observations the epoch contains.
   * @param dropped how many observations were left out, because an epoch is limited to a maximum number of
   * observations.
   */
  published(observations: number, dropped: number): void
  /**
   * Reports how the request for a note of this peer ended. `why` says what went wrong. It is undefined if the
   * note was verified.
   */
  fetched(peer: string, outcome: FetchLabel, why: string | undefined): void
  /**
   * Reports a contradiction: according to the peer's note, a super validator told the peer something other
   * than what it told this daemon.
   */
  filed(peer: string, sv: string): void
  /** Reports that the peer signed two different notes for one epoch. */
  equivocated(peer: string): void
}

export function splitViewTelemetry({ metrics, logger, limited, quietly }: Telling): SplitViewTelemetry {
  return {
    knows: quietly((peer) => {
      metrics.admitPeer(peer)
      // `with` creates the counters of this peer at 0; nothing has to be counted yet. Prometheus notices only
      // increases between two scrapes, so it would miss the first event if a counter began at 1.
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

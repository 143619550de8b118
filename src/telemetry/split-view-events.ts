import { type FetchLabel, fetchOutcomes } from './label-values.ts'
import type { TelemetryParts } from './telemetry-parts.ts'

/**
 * Reports what the comparison with peers finds. Peers are other operators' daemons, which super
 * validators should tell the same as this daemon.
 */
export interface SplitViewTelemetry {
  /** Metrics may name the peer from this call on. */
  knows(peer: string): void
  published(observations: number, dropped: number): void
  fetched(peer: string, outcome: FetchLabel, why: string | undefined): void
  /**
   * According to a note of the peer, a super validator told the peer and this daemon different
   * things.
   */
  filed(peer: string, sv: string): void
  equivocated(peer: string): void
}

export function splitViewTelemetry({
  metrics,
  logger,
  limited,
  quietly,
}: TelemetryParts): SplitViewTelemetry {
  return {
    knows: quietly((peer) => {
      metrics.admitPeer(peer)
      // `with` creates these counters at 0. Prometheus notices only increases, so it would miss the
      // first event if a counter began at 1.
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

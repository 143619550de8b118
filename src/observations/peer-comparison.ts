import type { Clock } from '../lib/clock.ts'
import type { SigningKey } from '../receipts/signing-key.ts'
import { Cosigning, type TwoNotes } from './cosigning.ts'
import { type EpochDocument, printDocument } from './epoch-document.ts'
import type { NotedEpoch } from './noted-epoch.ts'
import { NotedHistory } from './noted-history.ts'
import type { SvObservation } from './observation.ts'
import { ObservationBook } from './observation-book.ts'
import type { Fetched, FetchOutcome, Peer } from './peer.ts'
import { PeerCaseLog } from './peer-case-log.ts'
import { splitViewCase, twoNotesCase } from './split-view-case.ts'

export interface SplitViewEvents {
  published(observations: number, dropped: number): void
  fetched(peer: string, outcome: FetchOutcome, why: string | undefined): void
  filed(peer: string, sv: string): void
  equivocated(peer: string): void
}

export interface PeerComparisonDeps {
  readonly clock: Clock
  readonly signing: (wall: number) => SigningKey
  readonly peers: readonly Peer[]
  readonly events: SplitViewEvents
}

export interface LastFetch {
  readonly epoch: number
  readonly outcome: FetchOutcome
  readonly why: string | null
}

interface Compared {
  readonly peer: Peer
  readonly cases: PeerCaseLog
  last: LastFetch | undefined
}

/**
 * Compares what super validators told this daemon with what they told its peers. For this purpose,
 * each daemon signs and publishes its observations.
 */
export class PeerComparison {
  readonly #deps: PeerComparisonDeps
  readonly #book: ObservationBook
  readonly #own = new NotedHistory()
  readonly #cosigning: Cosigning
  readonly #compared: readonly Compared[]

  constructor(deps: PeerComparisonDeps) {
    this.#deps = deps
    this.#compared = deps.peers.map((peer) => ({ peer, cases: new PeerCaseLog(), last: undefined }))
    this.#cosigning = new Cosigning({ ...deps, own: this.#own })
    this.#book = new ObservationBook({ ...deps, closed: (noted, dropped) => this.#closed(noted, dropped) })
  }

  get book(): ObservationBook {
    return this.#book
  }

  observe(observation: SvObservation): void {
    this.#book.add(observation)
  }

  /** Returns undefined if the epoch is not over, or too old. */
  document(epoch: number): string | undefined {
    this.#book.closeEpochIfOver()
    const noted = this.#own.find(epoch)
    return noted && printDocument({ noted, cosigned: this.#cosigning.of(epoch) })
  }

  /**
   * Fetches and compares a peer's document about an epoch, unless an earlier fetch gave a verified
   * one. Rejects only when the signal aborts.
   * @param index the position of the peer in the configuration
   */
  async fetch(index: number, epoch: number, signal: AbortSignal): Promise<void> {
    const compared = this.#compared[index] as Compared
    const { peer } = compared
    if (peer.history.find(epoch) !== undefined) return
    const fetched = await peer.fetch(epoch, signal)
    if (fetched.outcome === 'verified') this.#take(compared, fetched.document)
    const why = whyOf(fetched)
    this.#deps.events.fetched(peer.name, fetched.outcome, why)
    compared.last = { epoch, outcome: fetched.outcome, why: why ?? null }
  }

  cases() {
    return this.#compared
      .flatMap(({ cases }) => cases.all())
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  }

  status() {
    return {
      epoch: this.#book.epoch,
      observations: this.#book.size,
      lastPublished: this.#own.latest ?? null,
      peers: this.#compared.map(({ peer, cases, last }) => ({
        name: peer.name,
        lastFetch: last ?? null,
        lastVerified: peer.history.latest ?? null,
        cases: cases.all().length,
      })),
    }
  }

  #closed(noted: NotedEpoch, dropped: number): void {
    this.#own.add(noted)
    this.#cosigning.trim(noted.epoch)
    this.#deps.events.published(noted.lines.length, dropped)
    for (const compared of this.#compared) this.#compare(compared, noted, 'own')
  }

  #take(compared: Compared, { noted, cosigned }: EpochDocument): void {
    const { history } = compared.peer
    if (history.find(noted.epoch) !== undefined) return
    history.add(noted)
    this.#compare(compared, noted, 'theirs')
    this.#book.closeEpochIfOver()
    this.#cosigning.cosign(noted, this.#book.epoch)
    for (const note of cosigned) this.#denounce(this.#cosigning.readCosigned(note, noted))
  }

  #denounce(found: TwoNotes | undefined): void {
    const signer = this.#compared.find(({ peer }) => peer === found?.peer)
    if (found === undefined || signer === undefined) return
    const { name } = signer.peer
    const made = () => twoNotesCase({ ...found, peer: name }, this.#deps.clock.wall())
    if (signer.cases.file(`notes ${found.shown.epoch}`, this.#book.epoch, made))
      this.#deps.events.equivocated(name)
  }

  /**
   * Files contradictions between `noted` and all kept observations of the other side.
   * @param side the daemon that made the observations in `noted`: this one or the peer
   */
  #compare({ peer, cases }: Compared, noted: NotedEpoch, side: 'own' | 'theirs'): void {
    const other = side === 'own' ? peer.history : this.#own
    const { clock, events } = this.#deps
    for (const [index, observation] of noted.observations.entries()) {
      const [against] = other.contradicting(observation)
      if (against === undefined) continue
      const said = { noted, index }
      const found = side === 'own' ? { own: said, theirs: against } : { own: against, theirs: said }
      const made = () => splitViewCase({ ...found, peer: peer.name }, clock.wall())
      if (cases.file(`${observation.subject} ${observation.sv}`, this.#book.epoch, made))
        events.filed(peer.name, observation.sv)
    }
  }
}

function whyOf(fetched: Fetched): string | undefined {
  return fetched.outcome === 'verified' ? undefined : fetched.why
}

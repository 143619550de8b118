import type { Clock } from '../lib/clock.ts'
import type { SigningKey } from '../receipts/signing-key.ts'
import { type EpochDocument, mostCosigned, printDocument } from './epoch-document.ts'
import { cosignatureBy, cosignNote } from './note-signatures.ts'
import type { NotedEpoch } from './noted-epoch.ts'
import { NotedHistory } from './noted-history.ts'
import type { SvObservation } from './observation.ts'
import { ObservationBook } from './observation-book.ts'
import type { Fetched, FetchOutcome, Peer } from './peer.ts'
import { printNote, tryNote } from './signed-note.ts'
import { SplitViewCases } from './split-view-cases.ts'

/** What happens in the comparison with peers. */
export interface SplitViewEvents {
  /** An epoch is over: this many observations were signed, and this many had no room. */
  published(observations: number, dropped: number): void
  fetched(peer: string, outcome: FetchOutcome, why: string | undefined): void
  filed(peer: string, sv: string): void
}

export interface PeerComparisonDeps {
  readonly clock: Clock
  readonly signing: (wall: number) => SigningKey
  readonly peers: readonly Peer[]
  readonly events: SplitViewEvents
}

/** The latest fetch: of which epoch, and what came of it. */
export interface LastFetch {
  readonly epoch: number
  readonly outcome: FetchOutcome
  /** Why there is no note; null if it was verified. */
  readonly why: string | null
}

/** A peer with what was found against it. */
interface Compared {
  readonly peer: Peer
  readonly cases: SplitViewCases
  last: LastFetch | undefined
}

/** Compares what super validators said to this daemon with what they said to its peers. */
export class PeerComparison {
  readonly #deps: PeerComparisonDeps
  readonly #book: ObservationBook
  readonly #own = new NotedHistory()
  readonly #cosigned = new Map<number, string[]>()
  readonly #compared: readonly Compared[]

  constructor(deps: PeerComparisonDeps) {
    this.#deps = deps
    this.#compared = deps.peers.map((peer) => ({ peer, cases: new SplitViewCases(), last: undefined }))
    this.#book = new ObservationBook({ ...deps, closed: (noted, dropped) => this.#closed(noted, dropped) })
  }

  get book(): ObservationBook {
    return this.#book
  }

  observe(observation: SvObservation): void {
    this.#book.add(observation)
  }

  /** Returns the document of an epoch that is over. Undefined if it is not kept. */
  document(epoch: number): string | undefined {
    this.#book.roll()
    const noted = this.#own.find(epoch)
    return noted && printDocument({ noted, cosigned: this.#cosigned.get(epoch) ?? [] })
  }

  /** Fetches this epoch of one peer, compares it, and cosigns its note. Rejects only when the signal aborts. */
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

  /** The cases of all peers, newest first. */
  cases() {
    return this.#compared
      .flatMap(({ cases }) => cases.all())
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  }

  /** The part `splitView` of `/status`. */
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
    for (const epoch of this.#cosigned.keys())
      if (epoch < noted.epoch && this.#own.find(epoch) === undefined) this.#cosigned.delete(epoch)
    this.#deps.events.published(noted.lines.length, dropped)
    for (const compared of this.#compared) this.#compare(compared, noted, 'own')
  }

  #take(compared: Compared, { noted, cosigned }: EpochDocument): void {
    const { history } = compared.peer
    if (history.find(noted.epoch) !== undefined) return
    history.add(noted)
    this.#compare(compared, noted, 'theirs')
    this.#cosign(noted)
    for (const note of cosigned) this.#gain(note, noted)
  }

  /** Compares the observations of an epoch with all that the other side noted. */
  #compare({ peer, cases }: Compared, noted: NotedEpoch, side: 'own' | 'theirs'): void {
    const other = side === 'own' ? peer.history : this.#own
    const { clock, events } = this.#deps
    for (const [index, observation] of noted.observations.entries()) {
      const [against] = other.contradicting(observation)
      if (against === undefined) continue
      const said = { noted, index }
      const found = side === 'own' ? { own: said, theirs: against } : { own: against, theirs: said }
      if (cases.file({ ...found, peer: peer.name }, this.#book.epoch, clock.wall()))
        events.filed(peer.name, observation.sv)
    }
  }

  #cosign({ note: { text } }: NotedEpoch): void {
    this.#book.roll()
    const { epoch } = this.#book
    const cosigned = this.#cosigned.get(epoch) ?? []
    if (cosigned.length >= mostCosigned) return
    const wall = this.#deps.clock.wall()
    const signature = cosignNote(text, this.#deps.signing(wall), Math.floor(wall / 1000))
    this.#cosigned.set(epoch, [...cosigned, printNote({ text, signatures: [signature] })])
  }

  /** Adds a peer's cosignature to the own note that it is about. */
  #gain(cosigned: string, { key }: NotedEpoch): void {
    const note = tryNote(cosigned)
    const epoch = Number(/\/observations\/(\d{1,10})\n/.exec(note?.text ?? '')?.[1] ?? -1)
    const own = this.#own.find(epoch)
    if (note === undefined || own === undefined || note.text !== own.note.text) return
    const signature = cosignatureBy(note, key)
    if (signature === undefined || cosignatureBy(own.note, key) !== undefined) return
    own.note = { text: own.note.text, signatures: [...own.note.signatures, signature] }
  }
}

function whyOf(fetched: Fetched): string | undefined {
  return fetched.outcome === 'verified' ? undefined : fetched.why
}

import type { Clock } from '../lib/clock.ts'
import type { SigningKey } from '../receipts/signing-key.ts'
import { originOf } from './checkpoint.ts'
import { mostCosigned } from './epoch-document.ts'
import { cosignatureBy, cosignNote, isSignedBy } from './note-signatures.ts'
import type { NotedEpoch } from './noted-epoch.ts'
import type { NotedHistory } from './noted-history.ts'
import type { Peer } from './peer.ts'
import { printNote, type SignedNote, tryNote } from './signed-note.ts'

export interface CosigningDeps {
  readonly clock: Pick<Clock, 'wall'>
  readonly signing: (wall: number) => SigningKey
  /** What this daemon noted itself. */
  readonly own: NotedHistory
  readonly peers: readonly Peer[]
}

/** Two notes of one epoch that one peer signed. */
export interface TwoNotes {
  readonly peer: Peer
  /** What it showed to this daemon. */
  readonly shown: NotedEpoch
  /** What it showed to another one. */
  readonly other: SignedNote
}

/** The notes that daemons have seen of each other, so that none of them can show two of one epoch unseen. */
export class Cosigning {
  readonly #deps: CosigningDeps
  /** The notes that were verified in each epoch, with our cosignature. */
  readonly #cosigned = new Map<number, string[]>()

  constructor(deps: CosigningDeps) {
    this.#deps = deps
  }

  /** Cosigns a verified note of a peer. It is published with our own note of this epoch. */
  cosign({ note, key }: NotedEpoch, epoch: number): void {
    const cosigned = this.#cosigned.get(epoch) ?? []
    if (cosigned.length >= mostCosigned) return
    const wall = this.#deps.clock.wall()
    const signature = cosignNote(note.text, this.#deps.signing(wall), Math.floor(wall / 1000))
    const signers = note.signatures.filter((each) => isSignedBy({ ...note, signatures: [each] }, key))
    const text = printNote({ text: note.text, signatures: [...signers.slice(0, 1), signature] })
    this.#cosigned.set(epoch, [...cosigned, text])
  }

  /** Returns the notes that were cosigned in an epoch. */
  of(epoch: number): readonly string[] {
    return this.#cosigned.get(epoch) ?? []
  }

  /** Forgets the epochs before this one that our own history does not have any more. */
  trim(before: number): void {
    for (const epoch of this.#cosigned.keys())
      if (epoch < before && this.#deps.own.find(epoch) === undefined) this.#cosigned.delete(epoch)
  }

  /**
   * Takes a note that a peer cosigned. Our own note gains the cosignature. If it is another note of an epoch of which its
   * signer has shown us one, returns both.
   */
  heard(text: string, { key }: NotedEpoch): TwoNotes | undefined {
    const note = tryNote(text)
    const origin = note && originOf(note.text)
    if (note === undefined || origin === undefined) return undefined
    const { keyid, epoch } = origin
    const own = this.#deps.own.find(epoch)
    if (own?.note.text === note.text) {
      gain(own, note, key)
      return undefined
    }
    for (const peer of this.#deps.peers) {
      const shown = peer.history.find(epoch)
      if (shown?.key.keyid !== keyid || shown.note.text === note.text) continue
      if (isSignedBy(note, shown.key)) return { peer, shown, other: note }
    }
    return undefined
  }
}

/** Adds a cosignature to an own note, unless it has one of this key. */
function gain(own: NotedEpoch, cosigned: SignedNote, key: NotedEpoch['key']): void {
  const signature = cosignatureBy(cosigned, key)
  if (signature === undefined || cosignatureBy(own.note, key) !== undefined) return
  own.note = { text: own.note.text, signatures: [...own.note.signatures, signature] }
}

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
  /** The epochs that this daemon noted itself. */
  readonly own: NotedHistory
  readonly peers: readonly Peer[]
}

/** Two notes of one epoch that one peer signed. */
export interface TwoNotes {
  readonly peer: Peer
  /** The note that the peer showed to this daemon. */
  readonly shown: NotedEpoch
  /** The note that the peer showed to another daemon. */
  readonly other: SignedNote
}

/**
 * Cosigns the notes of peers, and reads the notes that peers cosigned: so a daemon is found that shows two of one
 * epoch.
 */
export class Cosigning {
  readonly #deps: CosigningDeps
  /** The peers' notes with our cosignature, by the epoch in which we cosigned them. */
  readonly #cosigned = new Map<number, string[]>()

  constructor(deps: CosigningDeps) {
    this.#deps = deps
  }

  /** Cosigns a verified note of a peer, which is then published with our own note of `epoch`. */
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

  /** Forgets the epochs before this one that our own history no longer has. */
  trim(before: number): void {
    for (const epoch of this.#cosigned.keys())
      if (epoch < before && this.#deps.own.find(epoch) === undefined) this.#cosigned.delete(epoch)
  }

  /**
   * Takes a note that a peer cosigned. If the note is ours, adds the cosignature to it. If a peer signed it, and showed
   * us another note of the same epoch, returns both.
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

/** Adds the key's cosignature to a note of ours, unless it is not valid or the note already has one of this key. */
function gain(own: NotedEpoch, cosigned: SignedNote, key: NotedEpoch['key']): void {
  const signature = cosignatureBy(cosigned, key)
  if (signature === undefined || cosignatureBy(own.note, key) !== undefined) return
  own.note = { text: own.note.text, signatures: [...own.note.signatures, signature] }
}

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
  /** This daemon's own epochs, with its observations and notes. */
  readonly own: NotedHistory
  readonly peers: readonly Peer[]
}

/** Two different notes about one epoch, both signed by one peer. */
export interface TwoNotes {
  readonly peer: Peer
  /** The peer's epoch, with the note that the peer showed to this daemon. */
  readonly shown: NotedEpoch
  /** The note that the peer showed to another daemon. */
  readonly other: SignedNote
}

/**
 * Cosigns the notes of peers, and reads the notes that peers cosigned. Each daemon publishes the notes that
 * it cosigned. If a peer shows two daemons different notes about one epoch, the two daemons find out by
 * comparing these notes.
 */
export class Cosigning {
  readonly #deps: CosigningDeps
  /** The notes of peers with this daemon's cosignature, by the epoch in which it cosigned them. */
  readonly #cosigned = new Map<number, string[]>()

  constructor(deps: CosigningDeps) {
    this.#deps = deps
  }

  /**
   * Cosigns a verified note of a peer. The cosigned note is published in this daemon's document about the
   * epoch `epoch`.
   */
  cosign({ note, key }: NotedEpoch, epoch: number): void {
    const cosigned = this.#cosigned.get(epoch) ?? []
    if (cosigned.length >= mostCosigned) return
    const wall = this.#deps.clock.wall()
    const signature = cosignNote(note.text, this.#deps.signing(wall), Math.floor(wall / 1000))
    const signers = note.signatures.filter((each) => isSignedBy({ ...note, signatures: [each] }, key))
    const text = printNote({ text: note.text, signatures: [...signers.slice(0, 1), signature] })
    this.#cosigned.set(epoch, [...cosigned, text])
  }

  /** Returns the notes of peers that this daemon cosigned in an epoch. */
  of(epoch: number): readonly string[] {
    return this.#cosigned.get(epoch) ?? []
  }

  /** Drops the notes cosigned in epochs before `before`, except in epochs whose documents are still kept. */
  trim(before: number): void {
    for (const epoch of this.#cosigned.keys())
      if (epoch < before && this.#deps.own.find(epoch) === undefined) this.#cosigned.delete(epoch)
  }

  /**
   * Reads a note that a peer cosigned.
   * - If it is a note of this daemon, adds the cosignature to the daemon's copy of the note.
   * - If a peer signed it, and this daemon has a different note of that peer about the same epoch, returns
   *   both notes.
   * @param key the key of the peer that cosigned the note.
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

/**
 * Adds a peer's cosignature to this daemon's own note. Does nothing if the cosignature is not valid, or if
 * the note already has a cosignature by this key.
 */
function gain(own: NotedEpoch, cosigned: SignedNote, key: NotedEpoch['key']): void {
  const signature = cosignatureBy(cosigned, key)
  if (signature === undefined || cosignatureBy(own.note, key) !== undefined) return
  own.note = { text: own.note.text, signatures: [...own.note.signatures, signature] }
}

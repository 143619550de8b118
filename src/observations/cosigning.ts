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
  readonly own: NotedHistory
  readonly peers: readonly Peer[]
}

/**
 * Two different notes (signed texts) about one epoch, both signed by one peer. The peer showed
 * `shown` to this daemon, and `other` to another daemon.
 */
export interface TwoNotes {
  readonly peer: Peer
  readonly shown: NotedEpoch
  readonly other: SignedNote
}

/**
 * Adds this daemon's signature to the notes of peers, and publishes them. A peer that shows two
 * daemons different notes is found out when the two daemons compare them.
 */
export class Cosigning {
  readonly #deps: CosigningDeps
  readonly #cosigned = new Map<number, string[]>()

  constructor(deps: CosigningDeps) {
    this.#deps = deps
  }

  cosign({ note, key }: NotedEpoch, epoch: number): void {
    const cosigned = this.#cosigned.get(epoch) ?? []
    if (cosigned.length >= mostCosigned) return
    const wall = this.#deps.clock.wall()
    const signature = cosignNote(note.text, this.#deps.signing(wall), Math.floor(wall / 1000))
    const signers = note.signatures.filter((each) => isSignedBy({ ...note, signatures: [each] }, key))
    const text = printNote({ text: note.text, signatures: [...signers.slice(0, 1), signature] })
    this.#cosigned.set(epoch, [...cosigned, text])
  }

  of(epoch: number): readonly string[] {
    return this.#cosigned.get(epoch) ?? []
  }

  trim(before: number): void {
    for (const epoch of this.#cosigned.keys())
      if (epoch < before && this.#deps.own.find(epoch) === undefined) this.#cosigned.delete(epoch)
  }

  /**
   * Reads a note that one daemon signed and a peer cosigned. If this daemon signed it, adds the
   * cosignature to this daemon's own copy. Returns two notes if the signer is another peer, which
   * showed this daemon a different note about the same epoch.
   * @param key the key of the peer that cosigned the note
   */
  readCosigned(text: string, { key }: NotedEpoch): TwoNotes | undefined {
    const note = tryNote(text)
    const origin = note && originOf(note.text)
    if (note === undefined || origin === undefined) return undefined
    const { keyid, epoch } = origin
    const own = this.#deps.own.find(epoch)
    if (own?.note.text === note.text) {
      addCosignature(own, note, key)
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
 * Adds a peer's cosignature to this daemon's own note, if the cosignature is valid and the first by
 * this key.
 */
function addCosignature(own: NotedEpoch, cosigned: SignedNote, key: NotedEpoch['key']): void {
  const signature = cosignatureBy(cosigned, key)
  if (signature === undefined || cosignatureBy(own.note, key) !== undefined) return
  own.note = { text: own.note.text, signatures: [...own.note.signatures, signature] }
}

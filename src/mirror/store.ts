import type { AgreedSet } from './agreed-set.ts'
import type { MirroredEntry } from './entry.ts'

/** An entry that a live read agreed on since the snapshot. */
export interface OverlayEntry {
  readonly entry: MirroredEntry
  /** When the quorum agreed: milliseconds since 1970. */
  readonly agreedAt: number
}

/** What the mirror keeps: one agreed set, and the names that live reads added to it. */
export interface MirrorContent {
  readonly set: AgreedSet
  /** Counts the sets taken, across restarts. */
  readonly generation: number
  readonly overlay: readonly OverlayEntry[]
}

/** Why a file cannot be used. The mirror then starts empty, and says so. */
export class UnusableMirrorFile extends Error {
  override readonly name = 'UnusableMirrorFile'
}

/** Keeps the mirror across restarts. Writes are serialised; each is a transaction. */
export interface MirrorStore extends AsyncDisposable {
  /**
   * Reads what was kept last, or undefined if nothing was.
   * @throws UnusableMirrorFile if the digest does not match, or for another network or format.
   */
  load(): Promise<MirrorContent | undefined>
  /** Replaces the set and the overlay in one transaction. A set that is older than the kept one is refused. */
  replace(content: MirrorContent): Promise<void>
  /** Adds a name to the overlay, or replaces it there. */
  overlay(entry: OverlayEntry): Promise<void>
}

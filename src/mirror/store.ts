import type { Agreement } from '../cache/agreement.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { MirroredEntry } from './entry.ts'
import type { Followed } from './following.ts'

/** An entry that a live read agreed on since the snapshot. */
export interface OverlayEntry {
  readonly entry: MirroredEntry
  /** When the quorum agreed: milliseconds since 1970. */
  readonly agreedAt: number
  /** The agreement of that live read. */
  readonly agreement: Agreement
}

/** The content of the mirror: one agreed set, and the names that live reads added to it. */
export interface MirrorContent {
  readonly set: AgreedSet
  /** Counts the sets taken, across restarts. */
  readonly generation: number
  /** At most one entry for each name. */
  readonly overlay: readonly OverlayEntry[]
  /** The updates that were followed since the set; undefined at level `bindings`. */
  readonly followed: Followed | undefined
}

/**
 * A mirror file cannot be used. After `damaged`, `other-format` and `other-network` the file has another name, and the
 * next write makes a new file. After the others the file stays as it is and, but for `closed`, the next write tries
 * again.
 */
export type MirrorFileFault =
  /** The file does not hold what was written. */
  | 'damaged'
  /** Another version of the daemon wrote the file. */
  | 'other-format'
  /** The file is of another network or DSO. */
  | 'other-network'
  /** The file belongs to another program. */
  | 'foreign'
  /** Another process uses the file. */
  | 'in-use'
  /** The disk is full, or the system limits the size of the file. */
  | 'full'
  /** The file or its folder cannot be read or written. */
  | 'inaccessible'
  /** The store is closed, or its thread ended. No later write can succeed. */
  | 'closed'

/** A file cannot be used. The mirror goes on in memory. The message is a sentence for an operator. */
export class UnusableMirrorFile extends Error {
  override readonly name = 'UnusableMirrorFile'
  readonly fault: MirrorFileFault

  constructor(fault: MirrorFileFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** The updates before a step are not kept, so the step would leave a gap. The kept content stays. */
export class MissingUpdates extends Error {
  override readonly name = 'MissingUpdates'
}

/** A set is older than the kept one, which stays. */
export class OlderMirrorSet extends Error {
  override readonly name = 'OlderMirrorSet'

  /** Both times are milliseconds since 1970. */
  constructor(at: number, keptAt: number) {
    super(`A set of ${timeText(at)} cannot replace the kept set of ${timeText(keptAt)}, which is later.`)
  }
}

/**
 * Keeps the mirror across restarts. Calls take effect in their order. Each write is a transaction: after a crash the
 * store has all of it or nothing of it, and a write that fails changes nothing.
 */
export interface MirrorStore extends AsyncDisposable {
  /**
   * Reads what was kept last, or undefined if no set was. The store stays usable after an error: the next `replace`
   * tries again.
   * @throws UnusableMirrorFile
   */
  load(): Promise<MirrorContent | undefined>
  /**
   * Replaces the set, the overlay and the updates.
   * @throws OlderMirrorSet if the kept set is of the same DSO and has a later `at`.
   * @throws UnusableMirrorFile
   */
  replace(content: MirrorContent): Promise<void>
  /**
   * Adds a name to the overlay, or replaces it there.
   * @throws UnusableMirrorFile
   */
  overlay(entry: OverlayEntry): Promise<void>
  /**
   * Adds the updates of one step to those of the set, and takes over the rest of the step.
   * @throws MissingUpdates if the step does not begin where the kept updates end.
   * @throws UnusableMirrorFile
   */
  follow(step: Followed): Promise<void>
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

import type { Agreement } from '../cache/agreement.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { Followed } from './following.ts'
import type { MirroredEntry } from './mirrored-entry.ts'
import type { Withheld } from './withheld-in-file.ts'

/** An entry on which a quorum agreed in a live read after the snapshot. */
export interface OverlayEntry {
  readonly entry: MirroredEntry
  /** The time at which the quorum agreed: milliseconds since 1970. */
  readonly agreedAt: number
  readonly agreement: Agreement
}

/**
 * The content of the mirror: one agreed set, and everything that was learnt about names since its snapshot.
 */
export interface MirrorContent {
  readonly set: AgreedSet
  /** A number that increases with each set that the mirror takes, also across restarts. */
  readonly generation: number
  /** The entries that live reads added; at most one for each name. */
  readonly overlay: readonly OverlayEntry[]
  /** The updates after the set of names; undefined at level `bindings`. */
  readonly followed: Followed | undefined
  readonly withheld: Withheld
}

/**
 * The reason why a mirror file cannot be used. It determines what happens to the file:
 * - `damaged` and `other-format`: the file is renamed, and the next write makes a new one.
 * - `closed`: the file stays as it is, and is not used any more.
 * - other faults: the file stays as it is, and the next write tries again to use it.
 */
export type MirrorFileFault =
  /** The content of the file is not what the daemon wrote. */
  | 'damaged'
  /** Another version of the daemon wrote the file. */
  | 'other-format'
  /** The file has the names of another network or DSO. */
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

/**
 * The error for a file that cannot be used. The mirror of a daemon then continues in memory. The message is a
 * sentence for the operator of the daemon.
 */
export class UnusableMirrorFile extends Error {
  override readonly name = 'UnusableMirrorFile'
  readonly fault: MirrorFileFault

  constructor(fault: MirrorFileFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** The error for updates that do not directly follow the stored ones. The stored content stays as it is. */
export class MissingUpdates extends Error {
  override readonly name = 'MissingUpdates'
}

/** The error for a call about another set of names than the stored one. The stored content stays as it is. */
export class OtherMirrorSet extends Error {
  override readonly name = 'OtherMirrorSet'
}

/** The error for a set that is older than the stored one. The stored set stays as it is. */
export class OlderMirrorSet extends Error {
  override readonly name = 'OlderMirrorSet'

  /** Both times are milliseconds since 1970. */
  constructor(at: number, keptAt: number) {
    super(`A set of ${timeText(at)} cannot replace the kept set of ${timeText(keptAt)}, which is later.`)
  }
}

/**
 * Keeps the mirror across restarts. Calls take effect in their order. Each write is a transaction: after a
 * crash the store has all of it or nothing of it, and a write that fails changes nothing.
 */
export interface MirrorStore extends AsyncDisposable {
  /**
   * Reads the stored content; undefined if no set was stored. The store stays usable after an error: the next
   * `replace` tries again.
   * @throws UnusableMirrorFile
   */
  load(): Promise<MirrorContent | undefined>
  /**
   * Replaces the whole content.
   * @throws OlderMirrorSet if the last set that was stored is of the same DSO and has a later `at`.
   * @throws UnusableMirrorFile
   */
  replace(content: MirrorContent): Promise<void>
  /**
   * Adds an entry to the overlay. It replaces an earlier overlay entry of the same name.
   * @throws UnusableMirrorFile
   */
  overlay(entry: OverlayEntry): Promise<void>
  /**
   * Appends the updates of one page to the stored updates. The fields `at`, `synchronizer` and `agreement` of
   * `step` replace the stored ones.
   * @throws MissingUpdates if `step.after` is not the time up to which updates are stored.
   * @throws UnusableMirrorFile
   */
  follow(step: Followed): Promise<void>
  /**
   * Replaces the stored `Withheld`.
   * @param digest the digest of the set to which `withheld` belongs.
   * @throws OtherMirrorSet if the stored set has another digest, or if no set is stored.
   * @throws UnusableMirrorFile
   */
  withhold(digest: string, withheld: Withheld): Promise<void>
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

import type { Agreement } from '../cache/agreement.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { Followed } from './following.ts'
import type { Withheld } from './withheld-in-file.ts'

/** An entry on which a quorum agreed after the snapshot, when a read asked super validators. */
export interface OverlayEntry {
  readonly entry: MirroredEntry
  readonly agreedAt: number
  readonly agreement: Agreement
}

export interface MirrorContent {
  readonly set: AgreedSet
  /** A number that increases with each set that the mirror takes, also across restarts. */
  readonly generation: number
  readonly overlay: readonly OverlayEntry[]
  readonly followed: Followed | undefined
  readonly withheld: Withheld
}

/**
 * The reason why a mirror file cannot be used. A `damaged` or `other-format` file is renamed, and
 * the next write makes a new one.
 * Any other file stays as it is, and the next write tries again to use it, except after `closed`.
 */
export type MirrorFileFault =
  | 'damaged'
  | 'other-format'
  | 'other-network'
  | 'foreign'
  | 'in-use'
  | 'full'
  | 'inaccessible'
  /** The store is closed, or its thread ended. No later write can succeed. */
  | 'closed'

/**
 * The mirror file cannot be used, so the mirror continues in memory. The message is a sentence for
 * the operator of the daemon.
 */
export class UnusableMirrorFile extends Error {
  override readonly name = 'UnusableMirrorFile'
  readonly fault: MirrorFileFault

  constructor(fault: MirrorFileFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/**
 * The updates to store do not directly follow the stored ones. The stored content stays as it is.
 */
export class MissingUpdates extends Error {
  override readonly name = 'MissingUpdates'
}

/**
 * The call was about another set of names than the stored one. The stored content stays as it is.
 */
export class OtherMirrorSet extends Error {
  override readonly name = 'OtherMirrorSet'
}

export class OlderMirrorSet extends Error {
  override readonly name = 'OlderMirrorSet'

  constructor(at: number, keptAt: number) {
    super(`A set of ${timeText(at)} cannot replace the kept set of ${timeText(keptAt)}, which is later.`)
  }
}

/**
 * Keeps the mirror across restarts. Calls take effect in their order. Each write is a transaction:
 * after an error or a crash, the store has all of it or nothing.
 */
export interface MirrorStore extends AsyncDisposable {
  /**
   * Returns undefined if no set was stored. After an error, the next `replace` tries again to use
   * the store.
   * @throws UnusableMirrorFile
   */
  load(): Promise<MirrorContent | undefined>
  /**
   * @throws OlderMirrorSet if the last set that was stored is of the same DSO and has a later `at`.
   * @throws UnusableMirrorFile
   */
  replace(content: MirrorContent): Promise<void>
  /**
   * Adds an entry that a live read found. It replaces an added entry of the same name.
   * @throws UnusableMirrorFile
   */
  overlay(entry: OverlayEntry): Promise<void>
  /**
   * Appends `step.updates` to the stored updates. The other fields of `step`, except `after`,
   * replace the stored ones.
   * @throws MissingUpdates if `step.after` is not the time up to which updates are stored.
   * @throws UnusableMirrorFile
   */
  follow(step: Followed): Promise<void>
  /**
   * Stores the reasons and the names for which the mirror must not answer.
   * @param digest the digest of the set to which `withheld` belongs.
   * @throws OtherMirrorSet if the stored set has another digest, or if no set is stored.
   * @throws UnusableMirrorFile
   */
  withhold(digest: string, withheld: Withheld): Promise<void>
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

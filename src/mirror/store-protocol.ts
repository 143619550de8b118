import type { AgreedSet } from './agreed-set.ts'
import type { Followed } from './following.ts'
import type { MirrorFileFault } from './store.ts'
import type { OverlayRow } from './store-rows.ts'
import type { Withheld } from './withheld-in-file.ts'

export interface MirrorFileOptions {
  readonly file: string
  /** The configured network. A file of another network is not used. */
  readonly network: string
  readonly dso?: string | undefined
}

/**
 * The content of a mirror without its long lists: the entries, the followed updates, and the
 * entries that live reads added (the overlay).
 */
export interface MirrorHeader {
  readonly set: Omit<AgreedSet, 'entries'>
  readonly generation: number
  /** Absent in files of earlier releases. */
  readonly withheld?: Withheld
}

export interface MirrorWrite {
  readonly header: MirrorHeader
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  readonly overlay: readonly OverlayRow[]
  readonly followed: Followed | undefined
}

/**
 * The thread of the mirror's file handles these requests in order. It sends one `StoreReply` for
 * each, except for `close`.
 */
export type StoreRequest =
  | { readonly kind: 'load' }
  | { readonly kind: 'replace'; readonly write: MirrorWrite }
  | { readonly kind: 'overlay'; readonly rows: readonly OverlayRow[] }
  | { readonly kind: 'follow'; readonly step: Followed }
  | { readonly kind: 'withhold'; readonly digest: string; readonly withheld: Withheld }
  | { readonly kind: 'close' }

export type StoreReply =
  /** The `chunk` messages before this reply had the entries. */
  | {
      readonly kind: 'loaded'
      readonly header: MirrorHeader
      readonly overlay: readonly string[]
      readonly followed: Followed | undefined
    }
  | { readonly kind: 'empty' }
  | { readonly kind: 'written' }
  /** The updates in the request do not directly follow the stored ones, or the file has no set. */
  | { readonly kind: 'gap' }
  | { readonly kind: 'other-set' }
  /**
   * The stored set is later than the set to write. `keptAt` is its record time: milliseconds since
   * 1970.
   */
  | { readonly kind: 'older'; readonly keptAt: number }
  | { readonly kind: 'unusable'; readonly fault: MirrorFileFault; readonly message: string }

export type FromStore = { readonly kind: 'chunk'; readonly bytes: Uint8Array } | StoreReply

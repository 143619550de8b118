import type { AgreedSet } from './agreed-set.ts'
import type { Followed } from './following.ts'
import type { MirrorFileFault } from './store.ts'
import type { OverlayRow } from './store-rows.ts'
import type { Withheld } from './withheld-in-file.ts'

/** The start parameters of the thread that holds the mirror's file. */
export interface MirrorFileOptions {
  /** The path of the SQLite file. The file is created if it is missing, but not its folder. */
  readonly file: string
  /** The configured network. A file of another network is not used. */
  readonly network: string
  /** The configured DSO, if there is one. A file with a set of another DSO is not used. */
  readonly dso?: string | undefined
}

/**
 * A mirror's content without its long lists: the entries of the set, the overlay and the followed updates.
 */
export interface MirrorHeader {
  readonly set: Omit<AgreedSet, 'entries'>
  readonly generation: number
  /** Absent in files of earlier releases. */
  readonly withheld?: Withheld
}

/** The whole content of the file, as `replace` writes it. A chunk has some of the entries (`packEntries`). */
export interface MirrorWrite {
  readonly header: MirrorHeader
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  readonly overlay: readonly OverlayRow[]
  readonly followed: Followed | undefined
}

/**
 * Requests to the thread of the mirror's file. The thread handles them in order. It sends one `StoreReply`
 * for each, except for `close`.
 */
export type StoreRequest =
  | { readonly kind: 'load' }
  | { readonly kind: 'replace'; readonly write: MirrorWrite }
  | { readonly kind: 'overlay'; readonly rows: readonly OverlayRow[] }
  | { readonly kind: 'follow'; readonly step: Followed }
  | { readonly kind: 'withhold'; readonly digest: string; readonly withheld: Withheld }
  | { readonly kind: 'close' }

export type StoreReply =
  /** The stored content without its entries, which the thread has sent before in `chunk` messages. */
  | {
      readonly kind: 'loaded'
      readonly header: MirrorHeader
      readonly overlay: readonly string[]
      readonly followed: Followed | undefined
    }
  /** The file has no set. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'written' }
  /** The updates in the request do not directly follow the stored ones, or the file has no set. */
  | { readonly kind: 'gap' }
  /** The digest of the stored set is not the one in the request, or the file has no set. */
  | { readonly kind: 'other-set' }
  /** The stored set is later than the set to write. `keptAt` is its record time: milliseconds since 1970. */
  | { readonly kind: 'older'; readonly keptAt: number }
  | { readonly kind: 'unusable'; readonly fault: MirrorFileFault; readonly message: string }

/** Messages from the thread of the mirror's file. The thread verifies a chunk before it sends the chunk. */
export type FromStore = { readonly kind: 'chunk'; readonly bytes: Uint8Array } | StoreReply

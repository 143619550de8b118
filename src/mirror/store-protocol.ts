import type { AgreedSet } from './agreed-set.ts'
import type { Followed } from './following.ts'
import type { MirrorFileFault } from './store.ts'
import type { OverlayRow } from './store-rows.ts'

/** The start parameters of the thread that holds the mirror's file. */
export interface MirrorFileOptions {
  /** Path of the SQLite file. It is created if it is missing; its folder is not. */
  readonly file: string
  /** The configured network. A file that was written under another one is not used. */
  readonly network: string
  /** The configured DSO, if there is one. A file with a set of another DSO is not used. */
  readonly dso?: string | undefined
}

/** A mirror's content without its entries. */
export interface MirrorHeader {
  readonly set: Omit<AgreedSet, 'entries'>
  readonly generation: number
}

/** The parts of the file that a write replaces. A chunk is a list of entries (`packEntries`). */
export interface MirrorWrite {
  readonly header: MirrorHeader
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  readonly overlay: readonly OverlayRow[]
  readonly followed: Followed | undefined
}

/** Requests to the thread. It answers them in order, each with one `StoreReply`. */
export type StoreRequest =
  | { readonly kind: 'load' }
  | { readonly kind: 'replace'; readonly write: MirrorWrite }
  | { readonly kind: 'overlay'; readonly rows: readonly OverlayRow[] }
  | { readonly kind: 'follow'; readonly step: Followed }
  | { readonly kind: 'close' }

export type StoreReply =
  /** The kept content. Its chunks came before, in order. */
  | {
      readonly kind: 'loaded'
      readonly header: MirrorHeader
      readonly overlay: readonly string[]
      readonly followed: Followed | undefined
    }
  /** Nothing is kept. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'written' }
  /** The step does not begin where the kept updates end. */
  | { readonly kind: 'gap' }
  /** The kept set is later than the one to write: milliseconds since 1970. */
  | { readonly kind: 'older'; readonly keptAt: number }
  | { readonly kind: 'unusable'; readonly fault: MirrorFileFault; readonly message: string }

/** Messages of the thread. A chunk was verified before it was sent. */
export type FromStore = { readonly kind: 'chunk'; readonly bytes: Uint8Array } | StoreReply

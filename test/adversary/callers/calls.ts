import type { Target } from './targets.ts'

/**
 * A text as a recipe: `before`, then `unit` `count` times, then `after`. A failure can thus show a text of any
 * length.
 */
export interface Piece {
  readonly before: string
  readonly unit: string
  readonly count: number
  readonly after: string
}

/** The recipe of a body. `sample` is the good body of the target. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'sample' }
  /** The sample, with one of its values replaced. */
  | { readonly kind: 'spoilt'; readonly at: number; readonly by: Piece }
  | { readonly kind: 'text'; readonly text: Piece }
  | { readonly kind: 'bytes'; readonly hex: string }

/** The way in which a request gives the length of its body. */
export type Framing = 'right' | 'chunked' | 'byte by byte' | 'too long' | 'too short' | 'absent'

export type Token =
  | 'alice'
  | 'anyone'
  | 'none'
  | 'expired'
  | 'unsigned'
  | 'public-key'
  | 'forged'
  | 'garbage'
  | 'huge'
  | 'spaces'
  | 'empty'

/** One request, well-formed or not. */
export interface Call {
  readonly target: Target
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [name: string, value: Piece])[]
  readonly headers: readonly (readonly [name: string, value: Piece])[]
  readonly token: Token
  readonly body: Body
  readonly framing: Framing
}

/** A frame of a WebSocket. */
export interface Frame {
  readonly first: number
  readonly isMasked: boolean
  /** The length that the frame claims; that of its payload if undefined. */
  readonly length: number | undefined
  readonly payload: Piece
}

/** The behaviour of a caller on one connection. */
export type Visit =
  | { readonly kind: 'requests'; readonly calls: readonly Call[] }
  | { readonly kind: 'garbage'; readonly at: Target['at']; readonly bytes: Piece }
  | {
      readonly kind: 'socket'
      readonly path: string
      readonly token: Token
      readonly offered: boolean
      readonly frames: readonly Frame[]
    }

export function textOf({ before, unit, count, after }: Piece): string {
  return before + unit.repeat(count) + after
}

export function just(text: string): Piece {
  return { before: text, unit: '', count: 0, after: '' }
}

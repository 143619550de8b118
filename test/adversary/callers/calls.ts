import type { Target } from './targets.ts'

/**
 * A text of any length in short form, so that the report of a failure can show it. The text is `before`, then `unit`
 * repeated `count` times, then `after`.
 */
export interface Piece {
  readonly before: string
  readonly unit: string
  readonly count: number
  readonly after: string
}

/** The body of a request. `sample` stands for the valid body of the target. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'sample' }
  /**
   * The sample, in which a text replaces one value. `at` is the number of the value, counted from 0, a parent before
   * its members.
   */
  | { readonly kind: 'spoilt'; readonly at: number; readonly by: Piece }
  | { readonly kind: 'text'; readonly text: Piece }
  | { readonly kind: 'bytes'; readonly hex: string }

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

export interface Frame {
  readonly first: number
  readonly isMasked: boolean
  /** The length that the frame claims. If undefined, the frame claims the true length of its payload. */
  readonly length: number | undefined
  readonly payload: Piece
}

/** Everything that one caller sends over one connection. */
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

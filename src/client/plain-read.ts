import type { PlainParam } from '../reads/param-text.ts'
import type { Pattern } from '../reads/pattern.ts'

/** The part of a row of the table of reads that a client needs, as plain data. */
export interface PlainRead {
  readonly method: 'GET' | 'POST'
  /** The path below the daemon's URL; `{name}` stands for a path parameter. */
  readonly path: string
  readonly params: readonly PlainParam[]
  /** The bodies that callers may send. */
  readonly body?: Pattern
  /** The body of every request, if callers send none. */
  readonly sends?: string
  /** The values that the read answers. */
  readonly reply: Pattern
}

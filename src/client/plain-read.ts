import type { PlainParam } from '../reads/param-text.ts'
import type { Pattern } from '../reads/pattern.ts'

/** A read as a client knows it: data without code. */
export interface PlainRead {
  readonly method: 'GET' | 'POST'
  /** The path below the daemon's URL. `{name}` in it stands for a path parameter. */
  readonly path: string
  readonly params: readonly PlainParam[]
  /** The pattern of the bodies that callers may send; absent if they send none. */
  readonly body?: Pattern
  /** The body that the client sends with every request; absent if the read takes none, or takes the caller's. */
  readonly sends?: string
  /** The pattern of the values that the read answers. */
  readonly reply: Pattern
}

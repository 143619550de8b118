import type { PlainParam } from '../reads/param-text.ts'
import type { Pattern } from '../reads/pattern.ts'
import type { RepeatedParam } from '../reads/repeated-param.ts'

/** A read as the client needs it: data without code. */
export interface PlainRead {
  readonly method: 'GET' | 'POST'
  /** The path below the daemon's URL. `{name}` in it stands for a path parameter. */
  readonly path: string
  readonly params: readonly PlainParam[]
  /** The pattern of the bodies that callers may send. Absent if callers send none. */
  readonly body?: Pattern
  /**
   * A fixed body that the client sends with every request. Absent if the read takes no body, or if the caller
   * provides the body.
   */
  readonly sends?: string
  /**
   * The field of the value that must equal a parameter of the question, such as `entry.name`. Absent if the
   * read has no such field.
   */
  readonly repeats?: RepeatedParam
  /** The pattern of the values with which the read answers. */
  readonly reply: Pattern
}

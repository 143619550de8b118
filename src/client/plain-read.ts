import type { PlainParam } from '../reads/param-text.ts'
import type { Pattern } from '../reads/pattern.ts'
import type { RepeatedParam } from '../reads/repeated-param.ts'

/** The description of a read that the client needs: data without code. */
export interface PlainRead {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly params: readonly PlainParam[]
  readonly body?: Pattern
  /**
   * A fixed body that the client sends with every request, if the read needs a body and callers
   * give none.
   */
  readonly fixedBody?: string
  /** The field of the answer that must equal a parameter of the question, such as `entry.name`. */
  readonly repeats?: RepeatedParam
  readonly reply: Pattern
}

import type { Refusal, Submission } from '../command.ts'
import type { Interpretation, InterpretationContext } from '../daml/interpret.ts'

/** `interpret` must be pure: the same submission and context always give the same result. */
export interface Interpreter {
  interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal
  readonly indexing: Indexing
}

export interface TemplateIndex {
  readonly members: Readonly<Record<string, readonly string[]>>
  readonly due?: string | undefined
}

/**
 * The key of the map is the template name (`Module.Path:Entity`). Contracts of other templates are
 * found only by contract id, template and stakeholder.
 */
export type Indexing = ReadonlyMap<string, TemplateIndex>

import type { Refusal, Submission } from '../command.ts'
import type { Interpretation, InterpretationContext } from '../daml/interpret.ts'

/** What the templates of a ledger mean. Pure: the same submission in the same context gives the same nodes. */
export interface Interpreter {
  interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal
  readonly indexing: Indexing
}

/** What contracts of a template can be looked up by. */
export interface TemplateIndex {
  /** A name, and the path of a text in the argument. */
  readonly members: Readonly<Record<string, readonly string[]>>
  /** The member of the argument that is a time at which something is due. */
  readonly due?: string | undefined
}

/** By `Module.Path:Entity`. A template that is missing is found by its name and its stakeholders only. */
export type Indexing = ReadonlyMap<string, TemplateIndex>

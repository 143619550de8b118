import type { Refusal, Submission } from '../command.ts'
import type { Interpretation, InterpretationContext } from '../daml/interpret.ts'

/** Carries out submissions by the rules of the templates. Pure: equal submissions and contexts give equal nodes. */
export interface Interpreter {
  interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal
  readonly indexing: Indexing
}

/** The lookup keys of a template's contracts. */
export interface TemplateIndex {
  /** A name, and the path of a text in the argument. */
  readonly members: Readonly<Record<string, readonly string[]>>
  /** The member of the argument that is a time at which something is due. */
  readonly due?: string | undefined
}

/** By `Module.Path:Entity`. A template that is missing is found by its name and its stakeholders only. */
export type Indexing = ReadonlyMap<string, TemplateIndex>

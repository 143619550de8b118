import type { Refusal, Submission } from '../command.ts'
import type { Interpretation, InterpretationContext } from '../daml/interpret.ts'

/** Computes transactions by the rules of the templates. Pure: equal submissions and contexts give equal nodes. */
export interface Interpreter {
  interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal
  readonly indexing: Indexing
}

/** The lookup keys of a template's contracts. */
export interface TemplateIndex {
  /** Names of lookup keys, each with the path of a text in the argument. */
  readonly members: Readonly<Record<string, readonly string[]>>
  /** The member with the time at which automation must act on the contract; undefined if the template has none. */
  readonly due?: string | undefined
}

/** Lookup keys by template (`Module.Path:Entity`). Other contracts are found by template and stakeholders only. */
export type Indexing = ReadonlyMap<string, TemplateIndex>

import type { Refusal, Submission } from '../command.ts'
import type { Interpretation, InterpretationContext } from '../daml/interpret.ts'

/**
 * Computes transactions from submissions, by the rules of Daml templates. `interpret` is pure: the same
 * submission and context always give the same result.
 */
export interface Interpreter {
  interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal
  readonly indexing: Indexing
}

/** The keys by which the contracts of one template can be looked up. */
export interface TemplateIndex {
  /** The lookup keys, each with the path to its value: a string in the argument of the contract. */
  readonly members: Readonly<Record<string, readonly string[]>>
  /**
   * The field of the contract's argument that holds the time at which automation must act on the contract.
   * Undefined if the template has no such field.
   */
  readonly due?: string | undefined
}

/**
 * The lookup keys of each template, by template name (`Module.Path:Entity`). Contracts of a template that is
 * not in this map can be found only by contract id, template and stakeholder.
 */
export type Indexing = ReadonlyMap<string, TemplateIndex>

import type { Refusal, Submission } from '../command.ts'
import type { Interpretation, InterpretationContext } from '../daml/interpret.ts'

/**
 * Computes transactions by the rules of the templates. It is pure: equal submissions and contexts give equal nodes.
 */
export interface Interpreter {
  interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal
  readonly indexing: Indexing
}

/** The keys by which the contracts of one template can be looked up. */
export interface TemplateIndex {
  /** The lookup keys: names, each with the path of a text in the argument. */
  readonly members: Readonly<Record<string, readonly string[]>>
  /**
   * The member of the argument with the time at which automation must act on the contract. Undefined if the template
   * has none.
   */
  readonly due?: string | undefined
}

/**
 * The lookup keys of each template, by `Module.Path:Entity`. Contracts of other templates can be found by template
 * and stakeholder only.
 */
export type Indexing = ReadonlyMap<string, TemplateIndex>

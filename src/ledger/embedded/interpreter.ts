import type { Refusal, Submission } from '../command.ts'
import type { Interpretation, InterpretationContext } from '../daml/interpret.ts'

/**
 * The rules of the templates, by which the ledger computes transactions. `interpret` is pure: equal submissions and
 * contexts give equal nodes.
 */
export interface Interpreter {
  interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal
  readonly indexing: Indexing
}

/** The keys by which contracts of one template can be looked up. */
export interface TemplateIndex {
  /** The lookup keys: names, each with the path to a text in the contract's argument. */
  readonly members: Readonly<Record<string, readonly string[]>>
  /**
   * The member of the argument that holds the time at which automation must act on the contract. Undefined if the
   * template has no such member.
   */
  readonly due?: string | undefined
}

/**
 * The lookup keys of each template, by `Module.Path:Entity`. Contracts of a template that is not in this map can be
 * found only by contract id, template and stakeholder.
 */
export type Indexing = ReadonlyMap<string, TemplateIndex>

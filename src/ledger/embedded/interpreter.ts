import type { Refusal, Submission } from '../command.ts'
import { type Interpretation, type InterpretationContext, interpret } from '../daml/interpret.ts'
import { templates } from '../daml/splice/templates.ts'

/** `interpret` must be pure: the same submission and context always give the same result. */
export interface Interpreter {
  interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal
  readonly indexing: Indexing
}

interface TemplateIndex {
  readonly members: Readonly<Record<string, readonly string[]>>
  readonly due?: string | undefined
}

/**
 * The key of the map is the template name (`Module.Path:Entity`). Contracts of other templates are
 * found only by contract id, template and stakeholder.
 */
export type Indexing = ReadonlyMap<string, TemplateIndex>

export const spliceInterpreter: Interpreter = {
  interpret: (submission, context) => interpret(submission, context, templates),
  indexing: new Map(
    [...templates].map(([name, { template }]): [string, TemplateIndex] => [
      name,
      { members: template.indexed, due: template.dueField },
    ]),
  ),
}

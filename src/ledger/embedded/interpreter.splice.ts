import { interpret } from '../daml/interpret.ts'
import { templates } from '../daml/splice/templates.ts'
import type { Interpreter, TemplateIndex } from './interpreter.ts'

export const spliceInterpreter: Interpreter = {
  interpret: (submission, context) => interpret(submission, context, templates),
  indexing: new Map(
    [...templates].map(([name, { template }]): [string, TemplateIndex] => [
      name,
      { members: template.indexed, due: template.dueField },
    ]),
  ),
}

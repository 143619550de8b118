import type { Node } from './update.ts'

/** Templates of what a transaction creates and archives, each `Module.Path:Entity` and once. */
export interface Touched {
  readonly created: readonly string[]
  readonly archived: readonly string[]
}

export const untouched: Touched = { created: [], archived: [] }

export function touchedBy(nodes: readonly Node[]): Touched {
  const created = new Set<string>()
  const archived = new Set<string>()
  for (const node of nodes) {
    if (node.kind === 'create') created.add(nameOf(node.contract.templateId))
    else if (node.consuming) archived.add(nameOf(node.templateId))
  }
  return { created: [...created], archived: [...archived] }
}

/** Without its package. */
function nameOf(templateId: string): string {
  return templateId.slice(templateId.indexOf(':') + 1)
}

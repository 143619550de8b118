import type { Node } from './update.ts'

/** A node that creates or archives a contract. */
export interface Touch {
  /** `Module.Path:Entity` */
  readonly template: string
  readonly nodeId: number
}

/** What a transaction creates and archives, in order. */
export interface Touched {
  readonly created: readonly Touch[]
  readonly archived: readonly Touch[]
}

export const untouched: Touched = { created: [], archived: [] }

export function touchedBy(nodes: readonly Node[]): Touched {
  const created: Touch[] = []
  const archived: Touch[] = []
  for (const node of nodes) {
    const { nodeId } = node
    if (node.kind === 'create') created.push({ template: nameOf(node.contract.templateId), nodeId })
    else if (node.consuming) archived.push({ template: nameOf(node.templateId), nodeId })
  }
  return { created, archived }
}

/** Without its package. */
function nameOf(templateId: string): string {
  return templateId.slice(templateId.indexOf(':') + 1)
}

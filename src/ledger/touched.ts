import type { Node } from './update.ts'
import type { Party } from './value.ts'

/** A name, and who has or had it. */
export interface TouchedName {
  readonly name: string
  readonly user: Party
}

/** What an update creates and archives, in order: `Module.Path:Entity` of each contract. */
export interface Touched {
  readonly created: readonly string[]
  readonly archived: readonly string[]
  /** Those that were created, renewed or archived. */
  readonly names: readonly TouchedName[]
}

export const untouched: Touched = { created: [], archived: [], names: [] }

/** @param names of the entries among the contracts. */
export function touchedBy(nodes: readonly Node[], names: readonly TouchedName[] = []): Touched {
  const created: string[] = []
  const archived: string[] = []
  for (const node of nodes) {
    if (node.kind === 'create') created.push(nameOf(node.contract.templateId))
    else if (node.consuming) archived.push(nameOf(node.templateId))
  }
  return { created, archived, names }
}

/** Without its package. */
function nameOf(templateId: string): string {
  return templateId.slice(templateId.indexOf(':') + 1)
}

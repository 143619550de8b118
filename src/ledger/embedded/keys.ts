import { templates } from '../daml/splice/templates.ts'
import { tryMicros } from '../daml/time.ts'
import type { Contract } from '../update.ts'
import { type DamlValue, type Micros, type Party, templateNameOf } from '../value.ts'

interface TemplateIndex {
  readonly members: Readonly<Record<string, readonly string[]>>
  readonly due?: string | undefined
}

/**
 * The key of the map is the template name (`Module.Path:Entity`). Contracts of other templates are
 * found only by contract id, template and stakeholder.
 */
export const indexing: ReadonlyMap<string, TemplateIndex> = new Map(
  [...templates].map(([name, { template }]) => [name, { members: template.indexed, due: template.dueField }]),
)

export interface ContractKeys {
  readonly template: string
  readonly stakeholders: readonly Party[]
  readonly members: readonly (readonly [member: string, value: string])[]
  readonly dueAt: Micros | undefined
  readonly entry: EntryKeys | undefined
}

export interface EntryKeys {
  readonly name: string
  readonly user: Party
  readonly expiresAt: Micros
}

export function keysOf(contract: Contract): ContractKeys {
  const { templateId, argument, signatories, observers } = contract
  const template = templateNameOf(templateId)
  const index = indexing.get(template)
  const members: (readonly [string, string])[] = []
  for (const [member, path] of Object.entries(index?.members ?? {})) {
    const value = valueAt(argument, path)
    if (typeof value === 'string') members.push([member, value])
  }
  return {
    template,
    stakeholders: [...signatories, ...observers],
    members,
    dueAt: index?.due === undefined ? undefined : timeAt(argument, index.due),
    entry: template === 'Splice.Ans:AnsEntry' ? entryKeys(argument) : undefined,
  }
}

function entryKeys(argument: DamlValue): EntryKeys | undefined {
  const name = valueAt(argument, ['name'])
  const user = valueAt(argument, ['user'])
  const expiresAt = timeAt(argument, 'expiresAt')
  if (typeof name !== 'string' || typeof user !== 'string' || expiresAt === undefined) return undefined
  return { name, user, expiresAt }
}

function timeAt(argument: DamlValue, member: string): Micros | undefined {
  const value = valueAt(argument, [member])
  return typeof value === 'string' ? tryMicros(value) : undefined
}

function valueAt(argument: DamlValue, path: readonly string[]): DamlValue | undefined {
  let value: DamlValue | undefined = argument
  for (const member of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = (value as { readonly [field: string]: DamlValue })[member]
  }
  return value
}

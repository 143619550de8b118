import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { membersIn } from '../mirror/dso-member.ts'
import type { SvObservation } from './observation.ts'
import {
  contractDigest,
  contractSubject,
  entryDigest,
  entrySubject,
  type GivenContract,
  type GivenEntry,
  rosterDigest,
  rosterSubject,
} from './subjects.ts'

/**
 * The option `receipts.observes`: `rules` stands for `AmuletRules`, `AnsRules` and `DsoRules`, and
 * `all` also for every other contract and name entry.
 */
export type ObservedScope = 'rules' | 'all'

export type Stated = Omit<SvObservation, 'sv'>

const readsOfRules: ReadonlySet<string> = new Set(['getAmuletRules', 'getAnsRules', 'getDsoInfo'])
const templatesOfRules = /:Splice\.(?:AmuletRules:AmuletRules|Ans:AnsRules|DsoRules:DsoRules)$/
const dsoRules = /:Splice\.DsoRules:DsoRules$/

/** The search of a reply stops after this many JSON values, or this many statements. */
const mostVisited = 4_096
const mostStated = 64

export function canState(read: string, scope: ObservedScope): boolean {
  return scope === 'all' || readsOfRules.has(read)
}

/**
 * Long replies must be parsed a second time, on another thread. Only replies with rules contracts
 * are worth that work.
 */
export function isWorthParsingAgain(read: string): boolean {
  return readsOfRules.has(read)
}

/**
 * Returns what a reply states about contracts and name entries. Honest super validators that give
 * the same contract or entry state the same digest.
 */
export function statedIn(value: unknown, scope: ObservedScope): readonly Stated[] {
  const found: Stated[] = []
  const open: unknown[] = [value]
  for (let visited = 0; open.length > 0 && visited < mostVisited && found.length < mostStated; visited++) {
    const next = open.pop()
    if (isContract(next)) found.push(...statedOf(next, scope))
    else if (isEntry(next)) {
      if (scope === 'all') found.push({ subject: entrySubject(next.contract_id), digest: entryDigest(next) })
    } else if (Array.isArray(next)) open.push(...next.slice(0, mostVisited))
    else if (isJsonObject(next)) open.push(...Object.values(next).slice(0, mostVisited))
  }
  return found
}

function statedOf(contract: GivenContract, scope: ObservedScope): readonly Stated[] {
  const { template_id: template, contract_id: id, payload } = contract
  if (scope === 'rules' && !templatesOfRules.test(template)) return []
  const content = { subject: contractSubject(id), digest: contractDigest(contract) }
  const members = dsoRules.test(template) ? membersIn(payload) : undefined
  if (members === undefined) return [content]
  return [content, { subject: rosterSubject(id), digest: rosterDigest(members) }]
}

function isContract(value: unknown): value is GivenContract {
  if (!isJsonObject(value)) return false
  const { template_id: template, contract_id: id, payload, created_at: at }: Record<string, Json> = value
  return (
    typeof template === 'string' && typeof id === 'string' && isJsonObject(payload) && typeof at === 'string'
  )
}

function isEntry(value: unknown): value is GivenEntry {
  if (!isJsonObject(value)) return false
  const { contract_id: id, name, user }: Record<string, Json> = value
  return typeof id === 'string' && typeof name === 'string' && typeof user === 'string'
}

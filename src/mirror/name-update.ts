import type { Json } from '../lib/canonical-json.ts'
import { canonicalInstant } from '../reads/instant.ts'
import { type DsoMember, membersIn } from './dso-member.ts'
import { entryIn } from './entries.ts'
import type { MirroredEntry } from './entry.ts'
import { ansEntryTemplate, dsoRulesTemplate, templateOf } from './templates.ts'

/** The changes that one update of the ledger made to names. */
export interface NameUpdate {
  /** The record time, in its canonical form. */
  readonly at: string
  readonly created: readonly MirroredEntry[]
  /** The ids of archived contracts. They need not be entries. */
  readonly archived: readonly string[]
  /** The super validators from this update on; undefined if the update leaves them as they are. */
  readonly members: MemberChange | undefined
}

/** `members` is undefined if the new `DsoRules` cannot be read. */
export interface MemberChange {
  readonly members: readonly DsoMember[] | undefined
}

/** The facts about the updates before, from which the next update must follow. */
export interface UpdateContext {
  readonly dso: string
  readonly migrationId: number
  /** Undefined until an update was read. */
  readonly synchronizer: string | undefined
  /** Whether a contract is one of the followed entries. */
  readonly holds: (contractId: string) => boolean
}

/** An update, or the sentence that says why updates cannot be followed past it. */
export type UpdateReading =
  | { readonly kind: 'update'; readonly update: NameUpdate; readonly synchronizer: string | undefined }
  | { readonly kind: 'broken'; readonly why: string }

interface Created {
  readonly event_type: 'created_event'
  readonly contract_id: string
  readonly template_id: string
  readonly package_name: string
  readonly create_arguments: { readonly [key: string]: Json }
  readonly created_at: string
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
}

interface Exercised {
  readonly event_type: 'exercised_event'
  readonly contract_id: string
  readonly consuming: boolean
}

interface TransactionItem {
  readonly migration_id: number
  readonly record_time: string
  readonly synchronizer_id: string
  readonly events_by_id: Readonly<Record<string, Created | Exercised>>
}

interface ReassignmentItem {
  readonly record_time: string
  readonly event: { readonly created_event: Created } | { readonly contract_id: string }
}

/** An item of an agreed page of `POST /v2/updates`. */
export type UpdateItem = TransactionItem | ReassignmentItem

/** Reads what an update changes about names. Contracts that it creates and archives again leave no trace. */
export function readUpdate(item: UpdateItem, context: UpdateContext): UpdateReading {
  const at = canonicalInstant(item.record_time) ?? item.record_time
  if ('event' in item) return readReassignment(item, at, context)
  const { migration_id: migrationId, synchronizer_id: synchronizer } = item
  if (migrationId !== context.migrationId) return broken(`The ledger went on in migration ${migrationId}.`)
  if (synchronizer !== (context.synchronizer ?? synchronizer))
    return broken(`The ledger went on at the synchronizer ${synchronizer}.`)
  const update = changesOf(Object.values(item.events_by_id), at, context)
  return typeof update === 'string' ? broken(update) : { kind: 'update', update, synchronizer }
}

function changesOf(
  events: readonly (Created | Exercised)[],
  at: string,
  { dso }: UpdateContext,
): NameUpdate | string {
  const archived = new Set<string>()
  for (const event of events)
    if (event.event_type === 'exercised_event' && event.consuming) archived.add(event.contract_id)
  const created: MirroredEntry[] = []
  let members: MemberChange | undefined
  for (const event of events) {
    if (event.event_type !== 'created_event' || archived.has(event.contract_id) || !isOf(dso, event)) continue
    const template = templateOf(event)
    if (template === dsoRulesTemplate) members = { members: membersIn(event.create_arguments) }
    if (template !== ansEntryTemplate) continue
    const entry = entryIn(event)
    if (entry === undefined)
      return `The ledger has an entry in a form that this release does not know: ${event.contract_id}.`
    created.push(entry)
  }
  return { at, created, archived: [...archived], members }
}

/**
 * Reads a reassignment. No workflow reassigns entries: after that, the updates of another synchronizer would have to be
 * followed as well.
 */
function readReassignment({ event }: ReassignmentItem, at: string, { holds }: UpdateContext): UpdateReading {
  const contractId = 'created_event' in event ? event.created_event.contract_id : event.contract_id
  const isOurs =
    holds(contractId) || ('created_event' in event && templateOf(event.created_event) === ansEntryTemplate)
  if (isOurs) return broken(`The entry ${contractId} was reassigned to another synchronizer.`)
  const update = { at, created: [], archived: [], members: undefined }
  return { kind: 'update', update, synchronizer: undefined }
}

function isOf(dso: string, { create_arguments: { dso: stated }, signatories }: Created): boolean {
  return stated === dso && signatories.includes(dso)
}

function broken(why: string): UpdateReading {
  return { kind: 'broken', why }
}

import { canonicalInstant } from '../core/reads/instant.ts'
import { isOtherReassignment, isOtherTreeEvent, isOtherUpdate } from '../core/reads/other-kinds.ts'
import {
  ansEntryTemplate,
  type DsoMember,
  dsoRulesTemplate,
  entryIn,
  type MirroredEntry,
  membersIn,
  templateOf,
} from './mirrored-contracts.ts'
import type { CreatedItem, ExercisedItem, UpdateItem } from './update-items.ts'

export interface NameUpdate {
  readonly at: string
  readonly created: readonly MirroredEntry[]
  /**
   * The ids of archived contracts. `readUpdate` also returns ids of contracts that are no entries.
   */
  readonly archived: readonly string[]
  readonly members: MemberChange | undefined
}

/**
 * The super validators that a new `DsoRules` contract lists. `members` is undefined if the contract
 * cannot be read.
 */
export interface MemberChange {
  readonly members: readonly DsoMember[] | undefined
}

export interface UpdateContext {
  readonly dso: string
  readonly migrationId: number
  readonly synchronizer: string | undefined
  readonly holds: (contractId: string) => boolean
}

/**
 * The result of reading one update. `broken` means that updates cannot be followed any further, and
 * `why` is a sentence. `synchronizer` is undefined for a reassignment.
 */
export type UpdateReading =
  | { readonly kind: 'update'; readonly update: NameUpdate; readonly synchronizer: string | undefined }
  | { readonly kind: 'broken'; readonly why: string }

const unknownKind = 'The ledger has an update of a kind that this release does not know.'

/**
 * Reads the changes of names and super validators in one update. An entry that the update both
 * creates and archives is not in `created`. What an update or an event of an unknown kind changes
 * cannot be told, so such an update is `broken`.
 */
export function readUpdate(item: UpdateItem, context: UpdateContext): UpdateReading {
  if (isOtherUpdate(item) || ('event' in item && isOtherReassignment(item.event))) return broken(unknownKind)
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
  events: readonly (CreatedItem | ExercisedItem)[],
  at: string,
  { dso }: UpdateContext,
): NameUpdate | string {
  const archived = new Set<string>()
  if (events.some(isOtherTreeEvent)) return unknownKind
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
 * Returns `broken` if an entry was moved to or from another synchronizer, whose updates the daemon
 * does not read. No workflow of Splice moves entries.
 */
function readReassignment(
  { event }: Extract<UpdateItem, { event: unknown }>,
  at: string,
  { holds }: UpdateContext,
): UpdateReading {
  const contractId = 'created_event' in event ? event.created_event.contract_id : event.contract_id
  const isOurs =
    holds(contractId) || ('created_event' in event && templateOf(event.created_event) === ansEntryTemplate)
  if (isOurs) return broken(`The entry ${contractId} was reassigned to another synchronizer.`)
  const update = { at, created: [], archived: [], members: undefined }
  return { kind: 'update', update, synchronizer: undefined }
}

function isOf(dso: string, { create_arguments: { dso: stated }, signatories }: CreatedItem): boolean {
  return stated === dso && signatories.includes(dso)
}

function broken(why: string): UpdateReading {
  return { kind: 'broken', why }
}

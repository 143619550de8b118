import { parseJsonText } from '../base/lib/parse-json-text.ts'
import type { created, exercised, transaction } from '../core/reads/endpoints/updates.ts'
import { isOtherReassignment, isOtherTreeEvent, isOtherUpdate } from '../core/reads/other-kinds.ts'
import type { TypeOf } from '../core/reads/pattern.ts'
import { mirroredTemplates, templateOf } from './mirrored-contracts.ts'

export type CreatedItem = Omit<TypeOf<typeof created>, 'event_id'>

type IdOfContract = 'contract_id' | 'template_id' | 'package_name'

export type ExercisedItem = Pick<TypeOf<typeof exercised>, 'event_type' | 'consuming' | IdOfContract>

interface TransactionItem
  extends Pick<TypeOf<typeof transaction>, 'migration_id' | 'record_time' | 'synchronizer_id'> {
  readonly events_by_id: Readonly<Record<string, CreatedItem | ExercisedItem>>
}

interface ReassignmentItem {
  readonly record_time: string
  readonly event: { readonly created_event: CreatedItem } | { readonly contract_id: string }
}

export type UpdateItem = TransactionItem | ReassignmentItem

/**
 * Reduces a page of updates, the body of an agreed answer, to what the mirror reads of it; work for
 * the judge thread. Most events of a network concern other contracts.
 */
export function mirroredPartOf([body]: readonly Buffer[]): readonly UpdateItem[] {
  const page = parseJsonText(String(body)) as { readonly transactions: readonly UpdateItem[] }
  return page.transactions.map((item) => {
    // `readUpdate` must see what is of an unknown kind.
    if (isOtherUpdate(item) || ('event' in item && isOtherReassignment(item.event))) return item
    return 'event' in item ? reassignmentPart(item) : transactionPart(item)
  })
}

function transactionPart({
  migration_id,
  record_time,
  synchronizer_id,
  ...item
}: TransactionItem): UpdateItem {
  const events: Record<string, CreatedItem | ExercisedItem> = {}
  for (const [id, event] of Object.entries(item.events_by_id))
    if (isMirrored(event)) events[id] = event.event_type === 'created_event' ? event : exercisePart(event)
  return { migration_id, record_time, synchronizer_id, events_by_id: events }
}

function exercisePart(event: ExercisedItem): ExercisedItem {
  const { event_type, contract_id, template_id, package_name, consuming } = event
  return { event_type, contract_id, template_id, package_name, consuming }
}

function reassignmentPart({ record_time, event }: ReassignmentItem): UpdateItem {
  if (!('created_event' in event)) return { record_time, event: { contract_id: event.contract_id } }
  const { created_event } = event
  const { contract_id } = created_event
  return { record_time, event: isMirrored(created_event) ? { created_event } : { contract_id } }
}

function isMirrored(event: CreatedItem | ExercisedItem): boolean {
  return isOtherTreeEvent(event) || mirroredTemplates.includes(templateOf(event))
}

import type { DeliveredTransaction, Event } from '../../../src/ledger/visibility/delivered.ts'
import type { EventFormat, TransactionShape } from '../../../src/ledger/visibility/format.ts'
import { updateView } from '../../../src/ledger/visibility/visible.ts'
import { type Action, catalog, events, rights, transaction, updates } from './ledger.ts'

export const everything = rights('*')
export const both: readonly TransactionShape[] = ['ACS_DELTA', 'LEDGER_EFFECTS']

export function seen(
  actions: readonly Action[],
  format: EventFormat,
  shape: TransactionShape,
  reader = everything,
  actAs = 'a',
): DeliveredTransaction | undefined {
  const view = updateView(updates(format, shape), reader, catalog)
  return view(transaction(actions, actAs)) as DeliveredTransaction | undefined
}

/**
 * Returns each visible event as a text `kind node witnesses`. ` delta` at the end means that `acsDelta` of the event is
 * true.
 */
export function short(
  actions: readonly Action[],
  parties: string,
  shape: TransactionShape,
): readonly string[] {
  const format = events(Object.fromEntries([...parties].map((one) => [one, []])))
  return (seen(actions, format, shape)?.events ?? []).map(line)
}

export function line(event: Event): string {
  const delta = event.kind !== 'archived' && event.acsDelta ? ' delta' : ''
  return `${event.kind} ${event.nodeId} ${event.witnessParties.join('')}${delta}`
}

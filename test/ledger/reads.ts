import type { Element, Elements } from '../../src/ledger/update-service.ts'
import type { EventFormat, UpdateFormat } from '../../src/ledger/visibility/format.ts'
import type { Requested } from '../../src/ledger/wire/formats.ts'

/** Returns a format that selects all events of these parties. */
export function eventsOf(...parties: readonly string[]): EventFormat {
  return {
    filtersByParty: new Map(parties.map((party) => [party, { cumulative: [] }])),
    filtersForAnyParty: undefined,
    verbose: false,
  }
}

/** Returns a format that selects every transaction of these parties. */
export function formatOf(...parties: readonly string[]): UpdateFormat {
  return {
    includeTransactions: { eventFormat: eventsOf(...parties), transactionShape: 'ACS_DELTA' },
    includeReassignments: undefined,
    includeTopologyEvents: undefined,
  }
}

export function requested(format: UpdateFormat): Requested<UpdateFormat> {
  return { format, missing: undefined }
}

export async function all(batches: Elements | Promise<Elements>): Promise<Element[]> {
  const items: Element[] = []
  for await (const batch of await batches) items.push(...batch)
  return items
}

/** Resolves with at least this many elements: whole batches. Rejects if the stream has fewer. */
export async function first(count: number, batches: Elements | Promise<Elements>): Promise<Element[]> {
  const items: Element[] = []
  for await (const batch of await batches) {
    items.push(...batch)
    if (items.length >= count) return items
  }
  throw new Error(`the stream ended after ${items.length}`)
}

export const offsets = (elements: readonly Element[]) => elements.map(({ offset }) => offset)

export const isCheckpoint = ({ text }: Element) => text.startsWith('{"update":{"OffsetCheckpoint"')

/** Returns the integers from `from` to `to`, both included. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** Returns the offsets of the updates in the JSON of a page. */
export function offsetsIn(json: string | Uint8Array): readonly number[] {
  const text = typeof json === 'string' ? json : Buffer.from(json).toString()
  const updates = JSON.parse(`[${text}]`) as { update: Record<string, { value: { offset: number } }> }[]
  return updates.flatMap(({ update }) => Object.values(update).map(({ value }) => value.offset))
}

import type { Element, Elements } from '../../src/ledger/update-service.ts'
import type { EventFormat, UpdateFormat } from '../../src/ledger/visibility/format.ts'
import type { Requested } from '../../src/ledger/wire/formats.ts'

export function eventsOf(...parties: readonly string[]): EventFormat {
  return {
    filtersByParty: new Map(parties.map((party) => [party, { cumulative: [] }])),
    filtersForAnyParty: undefined,
    verbose: false,
  }
}

export function formatOf(...parties: readonly string[]): UpdateFormat {
  return {
    includeTransactions: { eventFormat: eventsOf(...parties), transactionShape: 'ACS_DELTA' },
    includeReassignments: undefined,
    includeTopologyEvents: undefined,
  }
}

export function requested(format: UpdateFormat): Requested<UpdateFormat> {
  return { format, missingField: undefined }
}

export async function all(batches: Elements | Promise<Elements>): Promise<Element[]> {
  const items: Element[] = []
  for await (const batch of await batches) items.push(...batch)
  return items
}

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

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

export function offsetsIn(json: string | Uint8Array): readonly number[] {
  const text = typeof json === 'string' ? json : Buffer.from(json).toString()
  const updates = JSON.parse(`[${text}]`) as { update: Record<string, { value: { offset: number } }> }[]
  return updates.flatMap(({ update }) => Object.values(update).map(({ value }) => value.offset))
}

import type { Agreement } from '../cache/agreement.ts'
import type { MirroredEntry } from './entry.ts'
import type { OverlayEntry } from './store.ts'

/** The members of an entry in the order of a stored row. A row has no keys, which would be a third of its bytes. */
type Row = readonly [
  contractId: string,
  user: string,
  name: string,
  url: string,
  description: string,
  expiresAt: string,
]

/** One message and one stored blob hold this many entries: about 170 KiB, which take a millisecond to parse. */
export const rowsInChunk = 500

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Serializes entries as a JSON list of rows, in UTF-8. The bytes have a buffer of their own, so a message can move it.
 */
export function packEntries(entries: readonly MirroredEntry[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(entries.map(rowOf)))
}

/** @throws SyntaxError if the chunk is not from `packEntries`. */
export function unpackEntries(chunk: Uint8Array): MirroredEntry[] {
  return (JSON.parse(decoder.decode(chunk)) as Row[]).map(entryOf)
}

/** An entry of the overlay as the file stores it: its name, and JSON of the whole. */
export interface OverlayRow {
  readonly name: string
  readonly body: string
}

export function packOverlay({ entry, agreedAt, agreement }: OverlayEntry): OverlayRow {
  return { name: entry.name, body: JSON.stringify([agreedAt, agreement, ...rowOf(entry)]) }
}

export function unpackOverlay(body: string): OverlayEntry {
  const [agreedAt, agreement, ...row] = JSON.parse(body) as [number, Agreement, ...Row]
  return { entry: entryOf(row), agreedAt, agreement }
}

function rowOf({ contract_id, user, name, url, description, expires_at }: MirroredEntry): Row {
  return [contract_id, user, name, url, description, expires_at]
}

/** Reads a row by index. Destructuring takes half as long again, and the daemon's start waits for all rows. */
function entryOf(row: Row): MirroredEntry {
  return {
    contract_id: row[0],
    user: row[1],
    name: row[2],
    url: row[3],
    description: row[4],
    expires_at: row[5],
  }
}

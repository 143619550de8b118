import type { Agreement } from '../cache/agreement.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { OverlayEntry } from './store.ts'

/**
 * A row has the values of an entry without the names of its fields, which would be a third of the
 * bytes.
 */
type Row = readonly [
  contractId: string,
  user: string,
  name: string,
  url: string,
  description: string,
  expiresAt: string,
]

/**
 * The largest number of rows in a chunk. A full chunk takes about 170 KiB, and a millisecond to
 * parse.
 */
export const rowsInChunk = 500

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Encodes entries as one chunk. The returned array fills its whole buffer, so that a message can
 * transfer the buffer to another thread.
 */
export function packEntries(entries: readonly MirroredEntry[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(entries.map(rowOf)))
}

export function unpackEntries(chunk: Uint8Array): MirroredEntry[] {
  return (JSON.parse(decoder.decode(chunk)) as Row[]).map(entryOf)
}

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

/**
 * Reads a row by index, because destructuring takes 1.5 times as long, and the start of the daemon
 * waits until all rows are read.
 */
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

import { crc32 } from 'node:zlib'
import { Damage } from '../../../lib/sqlite-faults.ts'
import type { Micros } from '../../value.ts'
import { chainedId, textDigest } from '../chain.ts'
import type { StoredUpdate } from '../encoding.ts'

// The rows of the log, and the checks that a row has not changed since it was written.

export type LogRow = readonly [
  offset: number,
  kind: StoredUpdate['kind'],
  updateId: string,
  recordTime: Micros,
  firstNode: number,
  nodeCount: number,
  head: string,
]

/**
 * An update as one `text`: `<offset> <kind> <record time> <update id><head><node><node>...`, with the number of its
 * nodes and the checksum of `text`. The checksum is null in rows that an older version wrote.
 */
export type TextRow = readonly [nodeCount: number, checksum: number | null, text: string]

export interface NodeRow {
  readonly digest: Uint8Array
  readonly body: string
}

export type BodyRow = readonly [node: number, body: string]

/** An update whose id was checked, with the digests of its nodes and the row of its first node. */
export interface LoggedUpdate {
  readonly update: StoredUpdate
  readonly digests: readonly string[]
  readonly firstNode: number
}

/**
 * Returns the CRC-32 of an update. It shows damage by the disk, but no deliberate change: that shows in the update ids,
 * which are hashes.
 */
export function checksumOf({ offset, kind, updateId, recordTime, head, nodes }: StoredUpdate): number {
  return crc32([`${offset} ${kind} ${recordTime} ${updateId}${head}`, ...nodes].join(''))
}

/**
 * The text between the head or a node and the next node: the end of one JSON object and the beginning of the other. It
 * cannot occur inside an object. In JSON, `}{` occurs only inside a string. The quote after it would end that string,
 * but a letter cannot follow the end of a string.
 */
const betweenTexts = '}{"kind":"'

/**
 * Decodes a row of the log. Undefined if the checksum is missing or wrong, or if the text cannot be split into the head
 * and the nodes.
 */
export function tryUpdate([nodeCount, checksum, text]: TextRow): StoredUpdate | undefined {
  if (crc32(text) !== checksum) return undefined
  const kindAt = text.indexOf(' ') + 1
  const timeAt = text.indexOf(' ', kindAt) + 1
  const idAt = text.indexOf(' ', timeAt) + 1
  const headAt = text.indexOf('{', idAt)
  const offset = Number(text.slice(0, kindAt - 1))
  const kind = text[kindAt] === 'p' ? 'party' : 'transaction'
  const recordTime = Number(text.slice(timeAt, idAt - 1))
  const updateId = text.slice(idAt, headAt)
  let start = nodeCount === 0 ? text.length : text.indexOf(betweenTexts, headAt) + 1
  const head = text.slice(headAt, start)
  const nodes: string[] = []
  while (start > 0 && nodes.length < nodeCount - 1) {
    const end = text.indexOf(betweenTexts, start) + 1
    nodes.push(text.slice(start, end))
    start = end
  }
  if (start === 0) return undefined
  if (nodeCount > 0) nodes.push(text.slice(start))
  return { offset, kind, updateId, recordTime, head, nodes }
}

/**
 * Decodes a row of the log, and checks that its update id is the hash of its content and of the previous id.
 * @throws Damage
 */
export function checkedUpdate(
  row: LogRow,
  nodes: readonly string[],
  previousId: string,
): Pick<LoggedUpdate, 'update' | 'digests'> {
  const [offset, kind, updateId, recordTime, , nodeCount, head] = row
  if (![head, ...nodes].every(isText)) throw new Damage(`update ${offset} is not what was written`)
  const digests = nodes.map(textDigest)
  const unstored = { offset, kind, recordTime, head, nodes }
  if (chainedId(previousId, unstored, digests) !== updateId || nodes.length !== nodeCount)
    throw new Damage(`update ${offset} is not what was written`)
  return { update: { ...unstored, updateId }, digests }
}

export function checked({ digest, body }: NodeRow, node: number): string {
  if (isText(body) && Buffer.from(textDigest(body), 'hex').equals(digest)) return body
  throw new Damage(`node ${node} is not what was written`)
}

/** Whether a stored value is a text. On a damaged page, SQLite may return null for a column of type TEXT. */
function isText(value: unknown): value is string {
  return typeof value === 'string'
}

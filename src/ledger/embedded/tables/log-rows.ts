import { crc32 } from 'node:zlib'
import { Damage } from '../../../lib/sqlite-faults.ts'
import type { Micros } from '../../value.ts'
import { chainedId, textDigest } from '../chain.ts'
import type { StoredUpdate } from '../encoding.ts'

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
 * `text` has the format `<offset> <kind> <record time> <update id><head><node><node>...`.
 * `checksum` is null in rows that an older version wrote.
 */
export type TextRow = readonly [nodeCount: number, checksum: number | null, text: string]

export interface NodeRow {
  readonly digest: Uint8Array
  readonly body: string
}

export type BodyRow = readonly [node: number, body: string]

export interface LoggedUpdate {
  readonly update: StoredUpdate
  readonly digests: readonly string[]
  readonly firstNode: number
}

/**
 * The checksum reveals damage by the disk, but not a deliberate change. The update ids, which are
 * hashes, reveal a deliberate change.
 */
export function checksumOf({ offset, kind, updateId, recordTime, head, nodes }: StoredUpdate): number {
  return crc32([`${offset} ${kind} ${recordTime} ${updateId}${head}`, ...nodes].join(''))
}

/**
 * Separates the head and the nodes in `TextRow`. The JSON of a head or a node cannot contain this
 * separator. Outside of a string, `}{` is not JSON. Inside of a string, the quote would end the
 * string, and no letter may follow.
 */
const betweenTexts = '}{"kind":"'

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

/** On a damaged page, SQLite may return null for a column of type TEXT. */
function isText(value: unknown): value is string {
  return typeof value === 'string'
}

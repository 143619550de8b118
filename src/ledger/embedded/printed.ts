import type { PrintedUpdates, PrintRequest } from '../ledger.ts'
import type { Catalog } from '../visibility/catalog.ts'
import { updateView } from '../visibility/visible.ts'
import { updateText } from '../wire/responses.ts'
import { decodeToPrint, decodeUpdate, type StoredUpdate } from './encoding.ts'
import type { Identity } from './identity.ts'
import type { LogTable } from './tables/log.ts'

export interface PrintDeps {
  readonly log: Pick<LogTable, 'texts'>
  readonly identity: Identity
  readonly catalog: Catalog
}

const mostAtOnce = 500
/**
 * The size of the buffer for the JSON of one call. The buffer is shared memory, so its bytes reach
 * the socket without a copy between threads.
 */
const bufferBytes = 1_048_576

/**
 * Serialises at most `mostAtOnce` offsets. It stops after `limit` updates, or when the buffer is
 * full. An update that is larger than the whole buffer is returned alone.
 * @throws Damage
 */
export function printed(
  { after, upTo, descending, limit, format, rights }: PrintRequest,
  { log, identity, catalog }: PrintDeps,
  room = bufferBytes,
): PrintedUpdates {
  const view = updateView(format, rights, catalog)
  const range = descending
    ? { after: Math.max(after, upTo - mostAtOnce), upTo }
    : { after, upTo: Math.min(upTo, after + mostAtOnce) }
  const list = new PrintedList(room)
  for (const update of inOrder(log, range, descending)) {
    const delivered = view(decodeUpdate(update, identity, decodeToPrint))
    if (delivered === undefined) continue
    if (list.count === limit) return { ...range, ...list.printed, next: update.offset }
    const text = updateText(delivered)
    if (list.tryAdd(text)) continue
    const { offset } = update
    if (list.count > 0) {
      const looked = descending ? { ...range, after: offset } : { ...range, upTo: offset - 1 }
      return { ...looked, ...list.printed, next: undefined }
    }
    const looked = descending ? { ...range, after: offset - 1 } : { ...range, upTo: offset }
    return { ...looked, json: Buffer.from(text), count: 1, next: undefined }
  }
  return { ...range, ...list.printed, next: undefined }
}

function* inOrder(
  log: PrintDeps['log'],
  { after, upTo }: Pick<PrintRequest, 'after' | 'upTo'>,
  descending: boolean,
): Generator<StoredUpdate> {
  if (!descending) return yield* log.texts(after, upTo, mostAtOnce)
  for (let to = upTo; to > after; to -= descendingAtOnce) {
    const from = Math.max(after, to - descendingAtOnce)
    yield* [...log.texts(from, to, descendingAtOnce)].reverse()
  }
}

const descendingAtOnce = 50

class PrintedList {
  readonly #buffer: Buffer
  #length = 0
  #count = 0

  constructor(sizeInBytes: number) {
    this.#buffer = Buffer.from(new SharedArrayBuffer(sizeInBytes))
  }

  get count(): number {
    return this.#count
  }

  get printed(): Pick<PrintedUpdates, 'json' | 'count'> {
    return { json: this.#buffer.subarray(0, this.#length), count: this.#count }
  }

  tryAdd(text: string): boolean {
    const room = this.#buffer.length - this.#length - 1
    if (text.length * mostBytes > room && Buffer.byteLength(text) > room) return false
    if (this.#count > 0) this.#buffer[this.#length++] = comma
    this.#length += this.#buffer.write(text, this.#length)
    this.#count++
    return true
  }
}

const comma = ','.charCodeAt(0)
/** The maximum number of bytes of UTF-8 that one UTF-16 code unit takes. */
const mostBytes = 3

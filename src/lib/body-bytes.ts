import type { IncomingMessage } from 'node:http'

/** The caller has left. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft'
}

/** Each chunk costs the parser as much as some hundred bytes: nobody needs more for a body that is allowed here. */
const mostParts = 2_048

/**
 * The bytes of a body; undefined where there are more than `maxBytes`, and before any is read where the request says so.
 * Each part is copied as it comes, because a body that arrives byte by byte would hold a buffer for each of them, and
 * taken from Node's own stream, because one of the web costs some microseconds a part. Rejects with `CallerLeft`, also
 * for a body in too many parts, whose connection is closed.
 */
export function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const said = Number(request.headers['content-length'] ?? 0)
  if (said > maxBytes) return Promise.resolve(undefined)
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0))
  if (request.destroyed) return Promise.reject(new CallerLeft())
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  const gathered = new Gathered(maxBytes)
  let parts = 0
  const take = (part: Buffer) => {
    if (++parts > mostParts) request.socket.destroy()
    else if (!gathered.add(part)) done(() => resolve(undefined))
  }
  const end = () => done(() => resolve(gathered.bytes))
  const cut = () => done(() => reject(new CallerLeft()))
  const done = (settle: () => void) => {
    request.off('data', take).off('end', end).off('close', cut).off('error', cut)
    settle()
  }
  request.on('data', take).on('end', end).on('close', cut).on('error', cut)
  return promise
}

/** Bytes one behind the other, in memory that grows twofold. */
class Gathered {
  readonly #most: number
  #memory: Buffer = Buffer.alloc(0)
  #length = 0

  constructor(most: number) {
    this.#most = most
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  /** False where it would be too much. */
  add(part: Buffer): boolean {
    const end = this.#length + part.length
    if (end > this.#most) return false
    if (end > this.#memory.length) {
      const longer = Buffer.alloc(Math.max(end, Math.min(2 * end, this.#most)))
      this.#memory.copy(longer, 0, 0, this.#length)
      this.#memory = longer
    }
    part.copy(this.#memory, this.#length)
    this.#length = end
    return true
  }
}

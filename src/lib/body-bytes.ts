import type { IncomingMessage } from 'node:http'

/** The caller closed the connection before the whole body arrived. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft'
}

/**
 * The longest body that any path takes, in bytes. It has room for a JSON Ledger API request whose event format has a
 * filter for each of a thousand parties. Canton accepts ten times as much.
 */
export const longestBody = 1024 * 1024

/** Each chunk costs the parser about as much as a few hundred bytes. An allowed body never needs more chunks. */
const mostParts = 2_048

/**
 * Reads a request's body. Resolves to undefined if the body has more than `maxBytes`; if `content-length` already
 * exceeds them, nothing is read. Each chunk is copied on arrival, because a body that arrives byte by byte would
 * otherwise keep one buffer per byte. The function reads Node's own stream, because a web stream costs a few
 * microseconds per chunk. Rejects with `CallerLeft` if the caller leaves, or if the body has too many chunks, in which
 * case the connection is closed.
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

/** Concatenates chunks in a buffer that doubles when it is full. */
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

  /** Returns false if the part would exceed the limit. */
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

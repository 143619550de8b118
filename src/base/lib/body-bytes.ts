import type { IncomingMessage } from 'node:http'

export class CallerLeft extends Error {
  override readonly name = 'CallerLeft'
}

export const longestBody = 1024 * 1024

/**
 * The most chunks of one body. Parsing a chunk costs as much as parsing hundreds of bytes, so
 * callers must not send tiny chunks. Chunks of 512 bytes suffice for `longestBody` bytes.
 */
const mostChunks = 2_048

/**
 * Reads a request's body. Each chunk is copied into one buffer on arrival. Otherwise a body that
 * arrives byte by byte would occupy one buffer per byte.
 * @returns undefined if the body has more than `maxBytes`
 * @throws CallerLeft if the caller disconnects or sends too many chunks
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
    if (++parts > mostChunks) request.socket.destroy()
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

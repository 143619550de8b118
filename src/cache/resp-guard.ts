import { type Expected, expectedOf, message, type ReplyShape } from './redis-reply-limits.ts'

/**
 * Thrown by `RespGuard` for a reply that does not fit its command. The connection must then not be
 * used any more.
 */
export class InvalidRedisReply extends Error {
  override readonly name = 'InvalidRedisReply'
}

interface Open {
  readonly shape: Extract<ReplyShape, { kind: 'list' | 'any' }>
  readonly length: number
  index: number
}

const longestLine = 1_024
const longestReason = 200
const codes = { list: 42, status: 43, error: 45, integer: 58, text: 36 } as const
const redirection = /^(MOVED|ASK) (\d{1,5}) [\w.:%-]{0,255}:(\d{1,5})$/

/**
 * Checks each reply of a Redis connection against its command, before any other code sees the
 * reply. The guard buffers at most one line and one short string.
 */
export class RespGuard {
  readonly #largestValue: number
  readonly #owed: { readonly command: string; readonly expected: Expected }[] = []
  readonly #open: Open[] = []
  #carry: Buffer = Buffer.alloc(0)
  /**
   * The number of bytes of the current bulk string that have not arrived yet, including its line
   * end.
   */
  #stringBytesLeft = 0
  #command = ''
  #expected: Expected | undefined
  #bytes = 0
  #isSubscribed = false

  constructor(largestValue: number) {
    this.#largestValue = largestValue
  }

  sent(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const words: string[] = []
      const { value: count, next } = header(bytes, at)
      at = next
      for (let word = 0; word < count; word++) {
        const { value: length, next: begin } = header(bytes, at)
        if (word < 2) words.push(bytes.toString('latin1', begin, begin + Math.min(length, 64)).toLowerCase())
        at = begin + length + 2
      }
      const [name = '', argument = ''] = words
      this.#owed.push({ command: name, expected: expectedOf(name, argument, this.#largestValue) })
    }
  }

  /**
   * Checks bytes that arrived from Redis, and returns those that the Redis client may read. The
   * guard keeps an incomplete line until its rest arrives, because the client must never take a part
   * of a line for a complete reply.
   * @throws InvalidRedisReply if a reply is invalid, or refuses the selected database.
   */
  heard(chunk: Buffer): Buffer {
    const bytes = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk])
    let at = 0
    while (at < bytes.length) {
      const passed = this.#stringBytesLeft > 0 ? this.#pass(bytes.length - at) : this.#element(bytes, at)
      if (passed === undefined) break
      at += passed
    }
    this.#carry = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at))
    return bytes.subarray(0, at)
  }

  #pass(available: number): number {
    const passed = Math.min(this.#stringBytesLeft, available)
    this.#stringBytesLeft -= passed
    if (this.#stringBytesLeft === 0) this.#completed()
    return passed
  }

  #element(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf('\r\n', at, 'latin1')
    if ((end === -1 ? bytes.length : end) - at > longestLine) throw this.#problem('a line that is too long')
    if (end === -1) return undefined
    const line = bytes.toString('latin1', at + 1, end)
    // A client could take a control character for the end of the line, and then see other replies
    // than this guard.
    if (/\p{Cc}/u.test(line)) throw this.#problem('a line with control characters in it')
    if (this.#open.length === 0 && this.#expected === undefined) this.#begin()
    const length = end + 2 - at
    return this.#take(bytes, at, { line, length })
  }

  #take(bytes: Buffer, at: number, { line, length }: { line: string; length: number }): number | undefined {
    const shape = this.#shape()
    switch (bytes[at]) {
      case codes.integer:
        this.#count(length)
        this.#integer(shape, line)
        break
      case codes.status:
        this.#count(length)
        if (shape.kind !== 'status' && shape.kind !== 'any') throw this.#problem('a status')
        this.#completed()
        break
      case codes.error:
        this.#error(line)
        break
      case codes.list:
        this.#count(length)
        this.#list(shape, line)
        break
      case codes.text:
        return this.#text(shape, bytes.subarray(at), { line, length })
      default:
        throw this.#problem('what is no RESP2')
    }
    return length
  }

  #begin(): void {
    const next = this.#owed.shift()
    if (next === undefined && !this.#isSubscribed) throw this.#problem('what nobody asked for')
    this.#command = next?.command ?? 'a subscription'
    this.#expected = next?.expected ?? message
    this.#bytes = 0
  }

  #shape(): ReplyShape {
    const list = this.#open.at(-1)
    if (list === undefined) return (this.#expected as Expected).shape
    if (list.shape.kind === 'any') return { kind: 'any', depth: list.shape.depth - 1 }
    return list.shape.item(list.index)
  }

  #integer(shape: ReplyShape, line: string): void {
    const value = Number(line)
    const isRight =
      shape.kind === 'any' || (shape.kind === 'integer' && value >= shape.from && value <= shape.to)
    if (!isRight || !/^-?\d{1,19}$/.test(line)) throw this.#problem(`the integer ${line.slice(0, 20)}`)
    this.#completed()
  }

  /**
   * Checks an error reply. Redis may answer any command with an error, but not inside a list. If
   * Redis refuses to select the database, this method throws to close the connection: ioredis would
   * go on with database 0.
   */
  #error(line: string): void {
    if (this.#open.length > 0) throw this.#problem('an error inside of a list')
    const [, , slot, port] = redirection.exec(line) ?? []
    const isRedirection = line.startsWith('MOVED') || line.startsWith('ASK')
    if (isRedirection && !(Number(slot) < 16_384 && Number(port) > 0 && Number(port) < 65_536))
      throw this.#problem('a redirection to nowhere')
    // `NOAUTH` means that the login is missing, not that the database is wrong. The client then
    // reports the error of another command, which names a better reason.
    if (this.#command === 'select' && !line.startsWith('NOAUTH'))
      throw this.#problem(line.slice(0, longestReason))
    this.#completed('failed')
  }

  #list(shape: ReplyShape, line: string): void {
    const length = this.#length(line)
    if (length === -1 && (shape.kind === 'any' || (shape.kind === 'list' && shape.orNull)))
      return this.#completed()
    const fits =
      shape.kind === 'any'
        ? shape.depth > 0
        : shape.kind === 'list' && isBetween(length, shape.least, shape.most)
    if (!fits || length === -1) throw this.#problem(`a list of ${line.slice(0, 20)}`)
    // Each item has at least three bytes, so a list that is too long is rejected before its items
    // arrive.
    if (this.#bytes + 3 * length > (this.#expected as Expected).mostBytes)
      throw this.#problem('too long a list')
    if (length === 0) return this.#completed()
    this.#open.push({ shape: shape as Open['shape'], length, index: 0 })
  }

  #text(
    shape: ReplyShape,
    bytes: Buffer,
    { line, length: begin }: { line: string; length: number },
  ): number | undefined {
    const length = this.#length(line)
    if (shape.kind !== 'any' && shape.kind !== 'text') throw this.#problem('a text')
    if (length === -1) {
      if (shape.kind === 'text' && shape.orNull === undefined) throw this.#problem('nothing')
      this.#count(begin)
      this.#completed()
      return begin
    }
    if (shape.kind === 'text' && length > shape.most) throw this.#problem(`a text of ${length} bytes`)
    if (shape.kind === 'text' && shape.isRight !== undefined) {
      if (bytes.length < begin + length + 2) return undefined
      if (!shape.isRight(bytes.toString('latin1', begin, begin + length)))
        throw this.#problem('a text that it cannot be')
    }
    this.#count(begin + length + 2)
    this.#stringBytesLeft = length + 2
    return begin
  }

  #length(line: string): number {
    if (line === '-1') return -1
    if (!/^\d{1,10}$/.test(line)) throw this.#problem('a length that is no number')
    return Number(line)
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > (this.#expected as Expected).mostBytes)
      throw this.#problem(`more than ${(this.#expected as Expected).mostBytes} bytes`)
  }

  #completed(how: 'answered' | 'failed' = 'answered'): void {
    for (let list = this.#open.at(-1); list !== undefined; list = this.#open.at(-1)) {
      list.index += 1
      if (list.index < list.length) return
      this.#open.pop()
    }
    if (how === 'answered' && this.#expected?.subscribes) this.#isSubscribed = true
    this.#expected = undefined
  }

  #problem(what: string): InvalidRedisReply {
    return new InvalidRedisReply(
      `Redis answered ${this.#command === '' ? 'at first' : this.#command} with ${what}`,
    )
  }
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}

function header(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  const end = bytes.indexOf('\r\n', at, 'latin1')
  const value = Number(bytes.toString('latin1', at + 1, end))
  if (end === -1 || !Number.isSafeInteger(value)) throw new InvalidRedisReply('a command was sent in parts')
  return { value, next: end + 2 }
}

import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  /** The values by lower-case name. If a header is repeated, the last value counts. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Sent {
  readonly parts: readonly Buffer[]
  readonly answers: number
  /** For each request, whether its method is HEAD. The answer to a HEAD request has no body. */
  readonly heads: readonly boolean[]
}

export interface Heard {
  readonly answers: readonly Answer[]
  /** The number of bytes after the last answer that was parsed, such as frames of a WebSocket. */
  readonly rest: number
  /**
   * `closed`: the server closed the connection. `quiet`: the caller closed it after all answers had arrived. `left`:
   * the caller closed it because an answer was late.
   */
  readonly end: 'closed' | 'quiet' | 'left'
}

/** The time for which a caller waits for the next byte while an answer is missing, in milliseconds. */
const patienceMs = 30_000
/** The time for which a caller waits for further bytes after its last answer, in milliseconds. */
const quietMs = 10

export async function exchange(base: string, sent: Sent): Promise<Heard> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port) })
  const heard: Buffer[] = []
  const { promise, resolve } = Promise.withResolvers<Heard>()
  let parsed = readAnswers(Buffer.alloc(0), sent.heads)
  const finish = (end: Heard['end']) => {
    clearTimeout(timer)
    socket.destroy()
    resolve({ ...readAnswers(Buffer.concat(heard), sent.heads), end })
  }
  let timer = setTimeout(() => finish('left'), patienceMs)
  const wait = () => {
    clearTimeout(timer)
    parsed = readAnswers(Buffer.concat(heard), sent.heads)
    const isDone = parsed.answers.length >= sent.answers
    timer = setTimeout(() => finish(isDone ? 'quiet' : 'left'), isDone ? quietMs : patienceMs)
  }
  socket.on('data', (part: Buffer) => {
    heard.push(part)
    wait()
  })
  socket.on('error', () => {})
  socket.on('close', () => finish('closed'))
  await send(socket, sent.parts)
  wait()
  return promise
}

async function send(socket: Socket, parts: readonly Buffer[]): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return
    await new Promise<void>((resolve) => {
      socket.once('close', resolve)
      socket.write(part, () => {
        socket.off('close', resolve)
        resolve()
      })
    })
  }
}

function readAnswers(bytes: Buffer, heads: readonly boolean[]): Pick<Heard, 'answers' | 'rest'> {
  const answers: Answer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end === -1) break
    const [line = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? Number.NaN)
    const headers = Object.fromEntries(
      lines.map((one) => [
        one.slice(0, one.indexOf(':')).toLowerCase(),
        one.slice(one.indexOf(':') + 1).trim(),
      ]),
    )
    const body =
      heads[answers.length] === true || status < 200 || status === 304
        ? { text: '', end: end + 4 }
        : bodyAt(bytes, end + 4, headers)
    if (body === undefined) break
    at = body.end
    if (status !== 100) answers.push({ status, headers, body: body.text })
    if (status === 101) break
  }
  return { answers, rest: bytes.length - at }
}

function bodyAt(
  bytes: Buffer,
  start: number,
  headers: Readonly<Record<string, string>>,
): { readonly text: string; readonly end: number } | undefined {
  if (headers['transfer-encoding'] === 'chunked') return chunksAt(bytes, start)
  const end = start + Number(headers['content-length'] ?? bytes.length - start)
  return end > bytes.length ? undefined : { text: bytes.toString('utf8', start, end), end }
}

function chunksAt(bytes: Buffer, start: number): { readonly text: string; readonly end: number } | undefined {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const end = line + 2 + size + 2
    // Without a chunk size here, the response has no body. The response answers a HEAD request that `heads` does not
    // list, such as one among random bytes.
    if (Number.isNaN(size) || end > bytes.length) return undefined
    if (size === 0) return { text: Buffer.concat(parts).toString(), end }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = end
  }
}

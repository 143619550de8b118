import { type Agent, request } from 'node:http'

export interface Heard {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
  readonly text: string
  readonly whole: boolean
}

export interface AskOptions {
  readonly method?: string
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
  /** Without an agent, each request has a connection of its own. */
  readonly agent?: Agent
  /** The address that the server sees. On Linux, all of 127.0.0.0/8 are addresses of the machine. */
  readonly localAddress?: string
  /** The client disconnects when it has this many bytes of the body. By default, it reads the whole body. */
  readonly enough?: number
}

/** Sends a request with `path` unchanged. Rejects if not even the head of an answer arrives. */
export function ask(base: string, path: string, options: AskOptions = {}): Promise<Heard> {
  const {
    method = 'GET',
    body,
    enough = Number.POSITIVE_INFINITY,
    signal,
    agent = false,
    localAddress,
  } = options
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const { promise, resolve, reject } = Promise.withResolvers<Heard>()
  const { hostname, port } = new URL(base)
  const headers = { ...type, ...options.headers }
  const outgoing = request({
    hostname,
    port,
    path,
    method,
    headers,
    agent,
    ...(signal && { signal }),
    ...(localAddress && { localAddress }),
  })
  outgoing.on('error', reject)
  outgoing.on('response', (response) => {
    const parts: Buffer[] = []
    let length = 0
    response.on('error', () => undefined)
    response.on('data', (part: Buffer) => {
      parts.push(part)
      length += part.length
      if (length >= enough) response.destroy()
    })
    response.on('close', () => {
      const heard = Buffer.concat(parts)
      const { statusCode: status = 0, complete: whole } = response
      resolve({ status, headers: response.headers, body: heard, text: heard.toString(), whole })
    })
  })
  outgoing.end(body)
  return promise
}

export async function askJson(base: string, path: string, options?: AskOptions) {
  return JSON.parse((await ask(base, path, options)).text)
}

/** Resolves with the code of the error with which `promise` rejects, or with the error's text if it has no code. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
  throw new Error('it did not fail')
}

export const byName = (name: string) => `/api/scan/v0/ans-entries/by-name/${encodeURIComponent(name)}`
export const byParty = (party: string) => `/api/scan/v0/ans-entries/by-party/${encodeURIComponent(party)}`
export const list = (prefix = '', size = 1000) =>
  `/api/scan/v0/ans-entries?name_prefix=${encodeURIComponent(prefix)}&page_size=${size}`

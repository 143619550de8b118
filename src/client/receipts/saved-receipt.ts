import { isJsonObject, type Json, MisshapenJson, parseJson } from '../../base/lib/canonical-json.ts'
import type { ReceiptJwk } from './pins.ts'

/**
 * A request as the daemon received it. If a reverse proxy removes a path prefix, the path lacks the
 * prefix.
 */
export interface ReceiptQuestion {
  readonly method: 'GET' | 'POST'
  /** The path and the query as they were sent, percent-encoded. */
  readonly path: string
  /** The exact body of a request by POST. */
  readonly body?: string | undefined
}

/** The content of a `.receipt.json` file: a question, and the signed answer to it. */
export interface SavedReceipt {
  readonly format: 1
  readonly request: ReceiptQuestion
  readonly response: {
    readonly status: number
    /** The header values, by header name in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** The exact body. */
    readonly body: string
  }
  /**
   * Public keys, for verifiers that pinned only the ids of keys. That a key is in this list does
   * not make it trustworthy.
   */
  readonly keys?: readonly ReceiptJwk[]
}

/** The error for a string that is no receipt. The message is a clause without a full stop. */
export class MalformedReceipt extends Error {
  override readonly name = 'MalformedReceipt'
  readonly code = 'malformedReceipt'
}

/** The response headers that a signature covers. */
export const coveredHeaders = 'content-digest content-type x-bft-receipt x-bft-quorum x-bft-agreed'.split(' ')

const keptHeaders = [...coveredHeaders, 'signature-input', 'signature']

/**
 * Makes a receipt from a response of `fetch`. It contains no keys.
 * @returns undefined if the response has no signature of a receipt.
 * @throws MalformedReceipt, for example if `request` is a `Request`.
 */
export function receiptOf(
  request: ReceiptQuestion,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: Uint8Array | string,
): SavedReceipt | undefined {
  const kept = keptHeaders.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  if (!headers.has('signature') || !headers.has('signature-input')) return
  if (!headers.has('x-bft-receipt')) return
  const { method, path, body: sent } = request
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  return checkedReceipt({
    format: 1,
    request: { method, path, ...(sent !== undefined && { body: sent }) },
    response: { status, headers: Object.fromEntries(kept), body: text },
  })
}

/** Serializes a receipt as the content of a `.receipt.json` file. */
export function printReceipt(receipt: SavedReceipt): string {
  return `${JSON.stringify(receipt, null, 2)}\n`
}

/**
 * Parses the content of a `.receipt.json` file. Checks only the structure; `verifyReceipt` checks
 * the rest.
 * @throws MalformedReceipt
 */
export function parseReceipt(text: string): SavedReceipt {
  if (typeof text !== 'string') throw new MalformedReceipt('parseReceipt takes a text')
  try {
    return checkedReceipt(parseJson(text))
  } catch (error) {
    if (!(error instanceof MisshapenJson)) throw error
    throw new MalformedReceipt(error.isJson ? error.message : 'it is not JSON', { cause: error })
  }
}

export function checkedReceipt(receipt: unknown): SavedReceipt {
  const { format, request, response, keys } = objectAt('the receipt', receipt)
  if (format !== 1)
    throw new MalformedReceipt(format === undefined ? 'it has no format' : 'its format is not 1')
  const { status, headers, body } = objectAt('response', response)
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 599)
    throw new MalformedReceipt('response.status is no status of HTTP')
  if (keys !== undefined && !Array.isArray(keys)) throw new MalformedReceipt('keys is no list')
  return {
    format,
    request: checkedQuestion(request),
    response: { status, headers: checkedHeaders(headers), body: checkedText('response.body', body) },
    ...(keys !== undefined && { keys: keys as unknown as readonly ReceiptJwk[] }),
  }
}

export function checkedQuestion(request: unknown): ReceiptQuestion {
  const { method, path, body } = objectAt('request', request)
  if (method !== 'GET' && method !== 'POST')
    throw new MalformedReceipt('request.method is neither GET nor POST')
  if (typeof path !== 'string' || !/^\/[!$-~]*$/.test(path) || path.includes('#'))
    throw new MalformedReceipt('request.path is no percent-encoded path that starts with a slash')
  if (method === 'GET' && body !== undefined) throw new MalformedReceipt('a GET has no request.body')
  if (method === 'GET') return { method, path }
  return { method, path, body: checkedText('request.body', body) }
}

function checkedHeaders(headers: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(objectAt('response.headers', headers))
  for (const [name, value] of entries) {
    if (!/^[!#$%&'*+.^_`|~\da-z-]+$/.test(name))
      throw new MalformedReceipt('response.headers has a name that is not in lower case')
    if (typeof value !== 'string' || !/^[\t -~]*$/.test(value))
      throw new MalformedReceipt(`response.headers.${name} is no line of ASCII`)
  }
  return Object.fromEntries(entries) as Record<string, string>
}

function checkedText(name: string, text: unknown): string {
  if (typeof text === 'string' && text.isWellFormed()) return text
  throw new MalformedReceipt(`${name} is no text`)
}

function objectAt(name: string, value: unknown): { readonly [key: string]: Json } {
  if (isJsonObject(value)) return value
  throw new MalformedReceipt(`${name} is no object`)
}

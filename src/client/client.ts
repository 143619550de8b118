import type { Agreement } from '../cache/agreement.ts'
import { SpliceError, type SpliceErrorCode } from '../errors/splice.ts'
import { isJsonObject, type Json, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { systemClock } from '../lib/clock.ts'
import type { Arguments, Value } from '../reads/arguments.ts'
import type { Question } from '../reads/read.ts'
import { upstreamOf } from '../reads/request.ts'
import type { ReadId } from '../reads/table.ts'
import { agreementIn } from './agreement-headers.ts'
import type { AgreedAbsence, AgreedValue, Answered } from './answered.ts'
import { ClientError, type ClientErrorCode, errorOf } from './client-error.ts'
import { type CallOptions, methodsOver, type ReadMethods } from './methods.ts'

export {
  type AgreedAbsence,
  type AgreedValue,
  type Agreement,
  type Answered,
  type Arguments,
  type CallOptions,
  ClientError,
  type ClientErrorCode,
  type ReadId,
  type ReadMethods,
  SpliceError,
  type SpliceErrorCode,
  type Value,
}

export interface ClientOptions {
  /** The daemon's public address, including a path prefix that a proxy adds. Example: `https://scan.example.org` */
  readonly url: string | URL
  /** Sent as a bearer token. A function is called for each request. */
  readonly token?: string | (() => string | Promise<string>)
}

/** The reads of a daemon (`docs/library.md`). A client holds no open resources. */
export type Client = ReadMethods

/**
 * Returns a client of a running daemon. It has a method for each read, which resolves with the agreed answer and who
 * agreed. It needs only the global `fetch`, so it also runs in a browser. Methods reject with `SpliceError` for a bad
 * question, with `ClientError` for an error that the daemon reports, and with the signal's reason.
 */
export function createClient({ url, token }: ClientOptions): Client {
  const base = String(new URL(url)).replace(/\/+$/, '')
  return methodsOver(async (question, signal) => {
    const { method, path, body } = upstreamOf(question)
    const bearer = typeof token === 'function' ? await token() : token
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    }
    const request = { method, headers, ...(body === undefined ? {} : { body }), ...(signal && { signal }) }
    const { response, text } = await sent(`${base}${path}`, request)
    return answeredBy(response, text, question)
  })
}

async function sent(
  url: string,
  request: RequestInit,
): Promise<{ readonly response: Response; readonly text: string }> {
  try {
    const response = await fetch(url, request)
    return { response, text: await response.text() }
  } catch (cause) {
    request.signal?.throwIfAborted()
    throw new ClientError('unreachable', `nobody answers at ${url}`, { cause })
  }
}

function answeredBy(response: Response, text: string, { read, params }: Question): Answered<unknown> {
  const { status, headers, ok } = response
  const body = jsonIn(text)
  const agreement = agreementIn(headers.get('x-bft-quorum'), headers.get('x-bft-agreed'))
  const error = isJsonObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined
  if (agreement === undefined || (!ok && error === undefined)) throw errorOf(response, ok ? undefined : error)
  const ageMs = 1000 * Number(headers.get('age') ?? 0)
  const provenance = {
    agreement,
    agreedAt: new Date(systemClock.wall() - ageMs),
    digest: (headers.get('etag') ?? '').replace(/^(?:W\/)?"(.*)"$/, '$1'),
  }
  if (error !== undefined && !ok) return { kind: 'absence', value: undefined, status, error, ...provenance }
  const parsed = read.reply.safeParse(body)
  if (!parsed.success || read.answers?.(parsed.data, params) === false) throw errorOf(response, undefined)
  return { kind: 'value', value: parsed.data, ...provenance }
}

function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof MisshapenJson) return undefined
    throw error
  }
}

import { isAscii } from 'node:buffer'
import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { fillTemplate } from '../errors/splice.ts'
import { parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import type { Question, Read } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'

/** The API whose path serves a read: that of scans, or that of Splice's scan proxy. */
export type Surface = 'scan' | 'proxy'

/** The representation of an answer that a path sends. */
export interface Form {
  readonly status: number
  /**
   * JSON. Short ASCII bodies are text, because Node sends headers and text in one write, but headers and bytes in two.
   */
  readonly body: string | Buffer
  /** A strong ETag: the quoted digest of the bytes. */
  readonly etag: string
}

/** Caches the forms of each answer, unless no later request can receive that answer object. */
const forms = new WeakMap<Answer, Map<string, Form>>()

/**
 * Returns the form that a path serves. The proxy's paths use Splice's own texts and shapes; other paths use the scans'
 * answer unchanged.
 * @param known contracts that the caller already has; the scans' paths omit them (Splice's cached-contract protocol).
 */
export function formOf(question: Question, surface: Surface, served: Served, known?: KnownContracts): Form {
  const { answer } = served
  if (surface === 'scan' && known !== undefined && answer.kind === 'value') {
    const form = withoutKnown(question.read, answer, known)
    if (form !== undefined) return form
  }
  if (isSeenOnce(served)) return newForm(question, surface, answer)
  return remembered(answer, surface, () => newForm(question, surface, answer))
}

/**
 * True if this caller caused the load. Only it and the callers that waited for the load see this answer object, because
 * the cache keeps a copy.
 */
export function isSeenOnce({ how }: Served): boolean {
  return how === 'miss' || how === 'ended' || how === 'request'
}

/** The id or ids of contracts that the caller already has. */
export type KnownContracts = string | ReadonlySet<string>

/**
 * Returns the form without the contracts that the caller has. Undefined if the answer contains none of them.
 */
function withoutKnown(read: Read, answer: Answer, known: KnownContracts): Form | undefined {
  const { cachedContract, cachedContracts } = read
  if (typeof known !== 'string') {
    if (cachedContracts === undefined || known.size === 0) return undefined
    return encoded(answer.status, cachedContracts.withoutContracts(votedIn(read, answer), known))
  }
  if (cachedContract === undefined) return undefined
  const value = votedIn(read, answer)
  if (cachedContract.contractId(value) !== known) return undefined
  return remembered(answer, 'without contract', () =>
    encoded(answer.status, cachedContract.withoutContract(value)),
  )
}

function newForm(question: Question, surface: Surface, answer: Answer): Form {
  return surface === 'proxy' ? proxyForm(question, answer) : asAgreed(answer)
}

function proxyForm({ read, params }: Question, answer: Answer): Form {
  const { proxy } = read
  if (answer.kind === 'absence') {
    if (answer.status !== 404 || proxy?.absent === undefined) return asAgreed(answer)
    return encoded(404, { error: fillTemplate(proxy.absent, params) })
  }
  if (proxy?.serve === undefined) return asAgreed(answer)
  return encoded(answer.status, proxy.serve(votedIn(read, answer)))
}

function votedIn(read: Read, { body }: Answer): unknown {
  return readingOf(read, parseJson(body))?.value
}

function asAgreed({ status, body, digest: known }: Answer): Form {
  return { status, body: sendable(body), etag: `"${known}"` }
}

function encoded(status: number, value: unknown): Form {
  const body = ownBytes(JSON.stringify(value))
  return { status, body: sendable(body), etag: `"${digest(body)}"` }
}

const longestText = 16_384

function sendable(body: Buffer): string | Buffer {
  return body.length <= longestText && isAscii(body) ? body.toString('latin1') : body
}

function remembered(answer: Answer, form: string, make: () => Form): Form {
  let known = forms.get(answer)
  if (known === undefined) {
    known = new Map()
    forms.set(answer, known)
  }
  let made = known.get(form)
  if (made === undefined) {
    made = make()
    known.set(form, made)
  }
  return made
}

import { isAscii } from 'node:buffer'
import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { fillTemplate } from '../errors/splice.ts'
import { parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import type { Question, Read } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'

/** Which form of a read a path serves. */
export type Surface = 'scan' | 'proxy'

/** What is sent: an answer, or the form of it that a path serves. */
export interface Form {
  readonly status: number
  /** JSON: as text where that is short and ASCII, because headers and text leave in one write, and bytes in two. */
  readonly body: string | Buffer
  /** Strong: the digest of the bytes, quoted. */
  readonly etag: string
}

/** The forms of an answer are made once, unless nobody will see it again. */
const forms = new WeakMap<Answer, Map<string, Form>>()

/**
 * The form that a path serves: on the proxy's paths Splice's own texts and shapes, elsewhere what the scans said.
 * @param known contracts that the caller has already: the scans' paths leave these out (Splice's cached-contract protocol).
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

/** The cache keeps a copy: what was loaded goes to the caller who caused it, and to those who waited with it. */
function isSeenOnce({ how }: Served): boolean {
  return how === 'miss' || how === 'ended'
}

/** The ids of contracts that a caller has already: one, or several. */
export type KnownContracts = string | ReadonlySet<string>

/** Undefined where the caller has nothing of it. */
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

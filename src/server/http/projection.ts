import { isAscii } from 'node:buffer'
import { fillTemplate } from '../../base/errors/fill-template.ts'
import { parseJson } from '../../base/lib/canonical-json.ts'
import { digest } from '../../base/lib/digest.ts'
import { ownBytes } from '../../base/lib/own-bytes.ts'
import type { Answer } from '../../core/cache/answer.ts'
import type { Served } from '../../core/cache/answers.ts'
import type { ContractWithState } from '../../core/reads/contract.ts'
import type { Question, Read } from '../../core/reads/read.ts'
import { readingOf } from '../../core/reads/reading.ts'

/**
 * The API to which a path belongs. `scan` is Splice's Scan API and the token registry; `proxy` is
 * the scan proxy of Splice's validator.
 */
export type Surface = 'scan' | 'proxy'

export interface Representation {
  readonly status: number
  /**
   * The body is a string if it is short and ASCII, because Node sends it in one write with the
   * headers.
   */
  readonly body: string | Buffer
  readonly etag: string
}

const representations = new WeakMap<Answer, Map<string, Representation>>()

/**
 * Returns the response body of an answer. Paths of the scan proxy have the texts and structures of
 * Splice's scan proxy; other paths serve the scans' answer unchanged.
 * @param known the contracts that the caller already has, which the body omits.
 */
export function representationOf(
  question: Question,
  surface: Surface,
  served: Served,
  known?: KnownContracts,
): Representation {
  const { answer } = served
  if (surface === 'scan' && known !== undefined && answer.kind === 'value') {
    const representation = withoutKnown(question.read, answer, known)
    if (representation !== undefined) return representation
  }
  if (isUsedOnce(served)) return newRepresentation(question, surface, answer)
  return remembered(answer, surface, () => newRepresentation(question, surface, answer))
}

/**
 * Whether no later request gets this `Answer` object. If the request itself loaded the answer, the
 * cache keeps only a copy, so remembering data about the object is useless.
 */
export function isUsedOnce({ how }: Served): boolean {
  return how === 'miss' || how === 'ended' || how === 'request'
}

export type KnownContracts = string | ReadonlySet<string>

function withoutKnown(read: Read, answer: Answer, known: KnownContracts): Representation | undefined {
  const { cachedContract, cachedContracts } = read
  if (typeof known !== 'string') {
    if (cachedContracts === undefined || known.size === 0) return undefined
    const value = votedIn(read, answer) as Readonly<Record<string, ContractsById>>
    const members = cachedContracts.members.map((name) => [name, withNulls(value[name] ?? {}, known)])
    return encoded(answer.status, { ...value, ...Object.fromEntries(members) })
  }
  if (cachedContract === undefined) return undefined
  const { member } = cachedContract
  const { [member]: held } = votedIn(read, answer) as ContractsById
  if (held?.contract.contract_id !== known) return undefined
  return remembered(answer, 'without contract', () =>
    encoded(answer.status, { [member]: { ...held, contract: null } }),
  )
}

type ContractsById = Readonly<Record<string, ContractWithState>>

function withNulls(contracts: ContractsById, known: ReadonlySet<string>) {
  const each = Object.entries(contracts)
  return Object.fromEntries(each.map(([id, one]) => [id, known.has(id) ? { ...one, contract: null } : one]))
}

function newRepresentation({ read, params }: Question, surface: Surface, answer: Answer): Representation {
  const { absent, serve } = (surface === 'proxy' && read.proxy) || {}
  const { kind, status, body } = answer
  if (kind === 'value' && serve !== undefined) return encoded(status, serve(votedIn(read, answer)))
  if (kind === 'absence' && status === 404 && absent !== undefined)
    return encoded(404, { error: fillTemplate(absent, params) })
  return { status, body: sendable(body), etag: `"${answer.digest}"` }
}

function votedIn(read: Read, { body }: Answer): unknown {
  return readingOf(read, parseJson(body))?.value
}

function encoded(status: number, value: unknown): Representation {
  const body = ownBytes(JSON.stringify(value))
  return { status, body: sendable(body), etag: `"${digest(body)}"` }
}

const longestText = 16_384

function sendable(body: Buffer): string | Buffer {
  return body.length <= longestText && isAscii(body) ? body.toString('latin1') : body
}

function remembered(answer: Answer, variant: string, make: () => Representation): Representation {
  let known = representations.get(answer)
  if (known === undefined) {
    known = new Map()
    representations.set(answer, known)
  }
  let made = known.get(variant)
  if (made === undefined) {
    made = make()
    known.set(variant, made)
  }
  return made
}

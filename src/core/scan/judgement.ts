import { isAscii } from 'node:buffer'
import type { FaultKind } from '../../base/errors/fault-kinds.ts'
import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonLimits,
  MisshapenJson,
  parseJson,
} from '../../base/lib/canonical-json.ts'
import { digest, sha256Hex } from '../../base/lib/digest.ts'
import { ownBytes } from '../../base/lib/own-bytes.ts'
import type { Item, Step } from '../quorum/reply.ts'
import { earliest } from '../reads/instant.ts'
import type { PageToken, Question, Read } from '../reads/read.ts'
import { orderedBy, readingOf, repeatsParam } from '../reads/reading.ts'
import { isKnownAbstention, lacksHistory, lacksPath, refusalStatuses } from '../reads/replies.ts'
import { type AbsentText, maxElementsOf } from '../reads/request.ts'
import { longestBody } from './evidence-log.ts'
import { separate, type TextsApart, withOwnTexts } from './own-texts.ts'

export type Judgement =
  | { readonly kind: 'fault'; readonly fault: FaultKind }
  | { readonly kind: 'abstention'; readonly reason: string }
  | {
      readonly kind: 'value'
      /**
       * Only the fields that the read's schema defines, normalised as the read prescribes
       * (`Read.normalise`, `ItemsOf.make`), without what takes no part in the vote (`own`).
       */
      readonly value: unknown
      /**
       * Whether the daemon may serve the bytes of the body unchanged. False if a missing field was
       * filled in, or if normalising made a new value.
       */
      readonly verbatim: boolean
      /** Whether the value has the hash that the request contains; false without such a hash. */
      readonly proven: boolean
      /**
       * A string that orders values if several of them can win. The string ends with a digest of
       * the value, so that the order does not depend on which reply came first.
       */
      readonly rank: string | undefined
      /** The time that the value states, as a text that sorts like it. */
      readonly time: string | undefined
      /**
       * The time at which the value stops being true (`cache.ends` of the read), in milliseconds
       * since 1970.
       */
      readonly endsAt: number | undefined
      readonly version: string | undefined
      /** Present if the value is a page that another page of this scan follows (`Read.pages`). */
      readonly next: { readonly time: string; readonly token: PageToken } | undefined
      readonly own: { readonly texts: TextsApart; readonly digest: string } | undefined
    }

/** The members of a judgement that describe a value, without the value itself. */
export type JudgedValue = Omit<Extract<Judgement, { kind: 'value' }>, 'value'>

export interface Comparison {
  /**
   * SHA-256 of the value's canonical JSON, in base64url. Two digests are equal exactly if the
   * values are equal.
   */
  readonly digest: string
  readonly excerpt: string
  readonly items?: readonly Item[]
  readonly steps?: readonly Step[]
}

export type ServedPart = (
  | { readonly on: 'whole' }
  | { readonly on: 'items'; readonly items: readonly Pick<Item, 'key' | 'vote'>[] }
  | { readonly on: 'history'; readonly length: number }
) & {
  /** The texts that are served though they took no part in the vote; by default none. */
  readonly own?: TextsApart | undefined
}

export interface Printed {
  readonly body: Buffer
  readonly digest: string
  /**
   * SHA-256 of the value's canonical JSON, in base64url. Undefined for a whole value, because the
   * `Comparison` of its statement already contains this digest.
   */
  readonly canonicalDigest: string | undefined
  readonly endsAt: number | undefined
  readonly version: string | undefined
}

/**
 * Judges a body with status 200. This function never throws: if a function of the read throws, the
 * body counts as the fault `misshapen`.
 */
export function judgeBody(question: Question, bytes: Buffer): Judgement {
  try {
    return judgementOf(question, bytes)
  } catch {
    return { kind: 'fault', fault: 'misshapen' }
  }
}

function judgementOf(question: Question, bytes: Buffer): Judgement {
  const { read, params } = question
  const { agree, pages } = read
  const json = tryParse(bytes, { maxElements: maxElementsOf(question, bytes.length) })
  if (typeof json === 'string') return { kind: 'fault', fault: json }
  const reading = readingOf(read, json.value)
  if (reading === undefined) return { kind: 'fault', fault: 'misshapen' }
  const { value: said, filled, nulls } = reading
  if (!repeatsParam(read.repeats, said, params) || read.answersQuestion?.(said, params) === false)
    return { kind: 'fault', fault: 'wrong-answer' }
  const reason = read.abstains?.(said)
  if (reason !== undefined) return { kind: 'abstention', reason }
  const asked = asVoted(question, said)
  const { voted: value, own } =
    read.own === undefined && !nulls ? { voted: asked } : separate(read, asked, nulls)
  if (agree.on === 'items' || agree.on === 'history') tryElements(agree, value)
  return {
    kind: 'value',
    value,
    verbatim: asked === said && !filled,
    proven: read.proves?.(said, params, sha256Hex) === true,
    rank: agree.on === 'ranked' ? `${agree.rank(value)}\0${voteOf(value)}` : undefined,
    time: agree.on === 'reached' ? agree.time(value) : undefined,
    endsAt: endOf(read, value),
    version: read.version?.of(value, params),
    next: pages && nextOf(pages, said),
    own: own?.size ? { texts: own, digest: digest(JSON.stringify([...own])) } : undefined,
  }
}

/** Reads each element as a comparison does later, so that an odd one is a fault of its own body. */
function tryElements(agree: Extract<Read['agree'], { on: 'items' | 'history' }>, value: unknown): void {
  if (agree.on === 'history') return agree.list(value).forEach(agree.moment)
  for (const element of agree.list(value)) {
    agree.key(element)
    agree.later(element)
  }
}

function nextOf(pages: NonNullable<Read['pages']>, said: unknown): JudgedValue['next'] {
  const token = pages.next(said)
  return token === undefined ? undefined : { time: pages.time(said), token }
}

export function comparisonOf({ agree }: Read, value: unknown): Comparison {
  const whole = wholeComparison(canonicalJson(value as Json))
  switch (agree.on) {
    case 'whole':
    case 'ranked':
    case 'reached':
      return whole
    case 'items':
      return { ...whole, items: agree.list(value).map((element) => partOf(agree, element)) }
    case 'history': {
      const { list, moment } = agree
      const steps = list(value).map((element) => ({ vote: voteOf(element), moment: moment(element) }))
      return { ...whole, steps }
    }
  }
}

export function wholeComparison(canonical: string): Comparison {
  return { digest: digest(canonical), excerpt: canonical.slice(0, longestBody) }
}

/**
 * Encodes as JSON the part of the agreed value that the daemon serves.
 * @param values for a list that is agreed item by item, the values of all voters; otherwise only the
 * winning value.
 * @throws Error if `choice` has an item that none of the values contains.
 */
export function printed(question: Question, values: readonly unknown[], choice: ServedPart): Printed {
  const value = chosen(question, values, choice)
  const body = ownBytes(JSON.stringify(orderedBy(question.read, value)))
  return {
    body,
    digest: digest(body),
    canonicalDigest: choice.on === 'whole' ? undefined : digest(canonicalJson(value as Json)),
    endsAt: endOf(question.read, value),
    version: question.read.version?.of(value, question.params),
  }
}

function endOf({ cache }: Read, value: unknown): number | undefined {
  return earliest(cache.ends?.(value) ?? [])
}

/**
 * Judges a body once more, because the judge thread keeps no value from one job to the next.
 * @throws Error if `judgeBody` does not judge the body to be a value again.
 */
export function valueIn(question: Question, bytes: Buffer): unknown {
  const judgement = judgeBody(question, bytes)
  if (judgement.kind !== 'value') throw new Error(`a body of ${question.read.id} says nothing any more`)
  return judgement.value
}

function asVoted({ read: { agree, normalise }, params }: Question, value: unknown): unknown {
  const normal = normalise === undefined ? value : normalise(value)
  return agree.on === 'items' ? agree.make(agree.list(normal), params) : normal
}

function chosen(question: Question, values: readonly unknown[], choice: ServedPart): unknown {
  const voted = votedPart(question, values, choice)
  const { own } = choice
  return own === undefined ? voted : withOwnTexts(question.read, voted, own)
}

function votedPart({ read, params }: Question, values: readonly unknown[], choice: ServedPart): unknown {
  const { agree } = read
  const [first] = values
  if (choice.on === 'whole') return first
  if (choice.on === 'history') {
    if (agree.on !== 'history') throw new Error(`${read.id} is no history`)
    return agree.make(agree.list(first).slice(0, choice.length))
  }
  if (agree.on !== 'items') throw new Error(`${read.id} has no items`)
  const elements = new Map<string, unknown>()
  for (const value of values)
    for (const element of agree.list(value)) elements.set(idOf(partOf(agree, element)), element)
  const wanted = choice.items.map((item) => {
    const element = elements.get(idOf(item))
    if (element === undefined) throw new Error('no such item')
    return element
  })
  return agree.make(wanted, params)
}

function partOf({ key, later }: Extract<Read['agree'], { on: 'items' }>, element: unknown): Item {
  return { key: key(element), vote: voteOf(element), later: later(element) }
}

function voteOf(element: unknown): string {
  return digest(canonicalJson(element as Json))
}

/**
 * Returns a string that identifies a list item. The vote and the key need no separator, because
 * every vote is a digest of 43 characters.
 */
function idOf({ key, vote }: Pick<Item, 'key' | 'vote'>): string {
  return vote + key
}

export function tryParse(bytes: Buffer, limits: JsonLimits): { readonly value: Json } | FaultKind {
  try {
    return { value: parseJson(isAscii(bytes) ? bytes.toString('latin1') : bytes, limits) }
  } catch (error) {
    if (error instanceof MisshapenJson) return error.isJson ? 'misshapen' : 'not-json'
    throw error
  }
}

/**
 * A scan that has not loaded the history answers with this status. An overloaded scan does too, so
 * the text of the body decides.
 */
const unavailableStatus = 503

const longestRefusal = 65_536

type NoVote = Exclude<Judgement, { kind: 'value' }>

interface CountedRefusal {
  readonly kind: 'refusal'
  readonly status: number
  readonly text: string
}

/**
 * Classifies a response without a value. Only a refusal is a vote; an abstention or a fault is not.
 * @param absent the error texts with which a 404 counts as an absence.
 */
export function refusalOf(
  status: number,
  bytes: Buffer,
  read: Read,
  absent: readonly AbsentText[],
): NoVote | CountedRefusal {
  if (status === unavailableStatus && read.holders !== undefined) return abstentionOr(bytes)
  if (!refusalStatuses.has(status)) return fault(faultOfStatus(status))
  if (bytes.length > longestRefusal) return fault('oversized')
  if (status === 404 && bytes.length === 0 && read.absent.includes('')) return absenceOr('', absent)
  const text = errorIn(bytes)
  if (typeof text !== 'string') return text
  return status === 404 ? absenceOr(text, absent) : { kind: 'refusal', status, text }
}

export function saysUnknownPath(status: number, bytes: Buffer): boolean {
  if (status !== 404 || bytes.length > longestRefusal) return false
  const text = errorIn(bytes)
  return typeof text === 'string' && lacksPath(text)
}

function absenceOr(said: string, texts: readonly AbsentText[]): NoVote | CountedRefusal {
  const means = ({ text, isOpen }: AbsentText) =>
    isOpen ? said.startsWith(text) && !isKnownAbstention(said) : said === text
  const [first] = texts
  if (first !== undefined && texts.some(means)) return { kind: 'refusal', status: 404, text: first.text }
  return { kind: 'abstention', reason: said.slice(0, 200) }
}

function abstentionOr(bytes: Buffer): NoVote {
  const text = bytes.length > longestRefusal ? undefined : errorIn(bytes)
  if (typeof text !== 'string' || !lacksHistory(text)) return fault(faultOfStatus(unavailableStatus))
  return { kind: 'abstention', reason: text.slice(0, 200) }
}

function errorIn(bytes: Buffer): string | NoVote {
  const json = tryParse(bytes, { maxElements: longestRefusal / 16 })
  if (typeof json === 'string') return unknownPathIn(bytes) ?? fault(json)
  const text = isJsonObject(json.value) ? json.value['error'] : undefined
  return typeof text === 'string' ? text : fault('misshapen')
}

/** The default answer of Splice's HTTP library to a path without a route is plain text. */
function unknownPathIn(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8', 0, 200)
  return lacksPath(text) ? text : undefined
}

function fault(kind: FaultKind): NoVote {
  return { kind: 'fault', fault: kind }
}

export function faultOfStatus(status: number): FaultKind {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 429) return 'rate-limited'
  if (status >= 300 && status < 400) return 'redirect'
  return status >= 500 ? 'server-error' : 'unexpected-status'
}

import { isAscii } from 'node:buffer'
import { canonicalJson, isJsonObject, type Json, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { sha256Hex } from '../lib/digest.ts'
import type { FaultKind, Item, Reply, Step } from '../quorum/reply.ts'
import { type AnyHistory, type AnyItems, knownAbstentions, type Params, type Read } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'
import { type AbsentText, absentTextsOf } from '../reads/request.ts'
import { differInOwnTextsOnly, ownTextsIn, type Spans } from './own-texts.ts'

/** Bytes that some voters sent. */
export interface Body {
  readonly status: number
  readonly bytes: Buffer
  readonly reply: Reply
  /** Whether the bytes can be served as they are: nothing was filled in, and the row does not put them in order. */
  readonly verbatim: boolean
  /** Where the node names itself, for reads of which that is left out of the vote. */
  readonly spans: Spans | undefined
  readonly voters: number[]
}

/** What a vote stands for. */
export interface Content {
  readonly kind: 'value' | 'refusal'
  readonly status: number
  /** The voted fields of a value; the text of a refusal. */
  readonly value: unknown
  readonly bodies: Body[]
}

const refusals: ReadonlySet<number> = new Set([400, 404, 409, 410, 422])

/**
 * Turns what nodes send for one read into replies that can be counted. Bodies are compared as bytes; a body is
 * parsed once, when it is first seen, and canonical forms are made only when two bodies differ (quorum.md 7).
 */
export class Ballots {
  readonly #read: Read
  readonly #params: Params
  readonly #addedAbsentTexts: readonly string[]
  #absent: readonly AbsentText[] | undefined
  readonly #bodies: Body[] = []
  readonly #contents = new Map<string, Content>()
  readonly #canonical = new Map<string, string>()

  /** @param addedAbsentTexts further 404 texts that mean absence, as templates. */
  constructor(read: Read, params: Params, addedAbsentTexts: readonly string[] = []) {
    this.#read = read
    this.#params = params
    this.#addedAbsentTexts = addedAbsentTexts
  }

  /**
   * The reply that a response stands for.
   * @returns `kept`: whether the bytes are held on to; others may be let go at once.
   */
  hear(voter: number, status: number, bytes: Buffer): { readonly reply: Reply; readonly kept: boolean } {
    const known = this.#bodies.find((body) => body.status === status && saysTheSame(body, bytes))
    if (known !== undefined) {
      known.voters.push(voter)
      return { reply: known.reply, kept: false }
    }
    const { reply, verbatim } = this.#interpret(status, bytes)
    if (reply.kind !== 'value' && reply.kind !== 'refusal') return { reply, kept: false }
    const { ownTexts } = this.#read
    const spans = ownTexts === undefined || reply.kind !== 'value' ? undefined : ownTextsIn(bytes, ownTexts)
    const body = { status, bytes, reply, verbatim, spans, voters: [voter] }
    this.#bodies.push(body)
    this.#contents.get(reply.vote)?.bodies.push(body)
    return { reply, kept: true }
  }

  /** @param vote of a value or refusal that was heard. */
  content(vote: string): Content {
    const content = this.#contents.get(vote)
    if (content === undefined) throw new Error(`no such vote: ${vote}`)
    return content
  }

  /** The canonical text of what a vote stands for. */
  canonical(vote: string): string {
    const known = this.#canonical.get(vote)
    if (known !== undefined) return known
    const { kind, status, value } = this.content(vote)
    const text = canonicalJson((kind === 'value' ? value : { status, error: value }) as Json)
    this.#canonical.set(vote, text)
    return text
  }

  /** The element behind an agreed item. */
  item(key: string, vote: string): unknown {
    const agree = this.#read.agree
    if (agree.on !== 'items') throw new Error(`${this.#read.id} has no items`)
    const { list, key: keyOf } = agree
    for (const { value } of this.#contents.values()) {
      const element = list(value).find(
        (candidate) => keyOf(candidate) === key && canonicalJson(candidate as Json) === vote,
      )
      if (element !== undefined) return element
    }
    throw new Error('no such item')
  }

  #interpret(status: number, bytes: Buffer): { readonly reply: Reply; readonly verbatim: boolean } {
    if (status >= 200 && status < 300) return this.#interpretValue(status, bytes)
    const reply = refusals.has(status) ? this.#interpretRefusal(status, bytes) : fault(faultOfStatus(status))
    return { reply, verbatim: false }
  }

  #interpretValue(status: number, bytes: Buffer): { readonly reply: Reply; readonly verbatim: boolean } {
    const json = tryParse(bytes)
    if (typeof json === 'string') return { reply: fault(json), verbatim: false }
    const reading = readingOf(this.#read, json.value)
    if (reading === undefined) return { reply: fault('misshapen'), verbatim: false }
    const { value: said, filled } = reading
    if (this.#read.answers?.(said, this.#params) === false) {
      return { reply: fault('wrong-answer'), verbatim: false }
    }
    const reason = this.#read.abstains?.(said)
    if (reason !== undefined) return { reply: { kind: 'abstention', reason }, verbatim: false }
    const value = this.#asVoted(said)
    const vote = this.#voteFor({ kind: 'value', status, value, bodies: [] })
    const verbatim = value === said && !filled
    const proven = this.#read.proves?.(said, this.#params, sha256Hex) === true
    return { reply: proven ? { kind: 'value', vote, proven } : this.#valueReply(vote, value), verbatim }
  }

  #interpretRefusal(status: number, bytes: Buffer): Reply {
    if (status === 404 && bytes.length === 0 && this.#read.absent.includes('')) return this.#absence('')
    const json = tryParse(bytes)
    if (typeof json === 'string') return fault(json)
    const text = isJsonObject(json.value) ? json.value['error'] : undefined
    if (typeof text !== 'string') return fault('misshapen')
    return status === 404 ? this.#absence(text) : this.#refusal(status, text)
  }

  #absence(said: string): Reply {
    this.#absent ??= absentTextsOf(this.#read, this.#params, this.#addedAbsentTexts)
    const isKnown = isKnownAbstention(said)
    const means = ({ text, isOpen }: AbsentText) =>
      isOpen ? !isKnown && said.startsWith(text) : said === text
    const [absent] = this.#absent
    if (absent !== undefined && this.#absent.some(means)) return this.#refusal(404, absent.text)
    return { kind: 'abstention', reason: said.slice(0, 200) }
  }

  #refusal(status: number, text: string): Reply {
    return { kind: 'refusal', vote: this.#voteFor({ kind: 'refusal', status, value: text, bodies: [] }) }
  }

  /** The vote of the content that says the same, else a new one. */
  #voteFor(content: Content): string {
    const vote = String(this.#contents.size)
    this.#contents.set(vote, content)
    for (const [other, { kind }] of this.#contents) {
      if (other === vote || kind !== content.kind || this.canonical(other) !== this.canonical(vote)) continue
      this.#contents.delete(vote)
      this.#canonical.delete(vote)
      return other
    }
    return vote
  }

  #asVoted(value: unknown): unknown {
    const { agree, normalise } = this.#read
    const normal = normalise === undefined ? value : normalise(value)
    return agree.on === 'items' ? agree.make(agree.list(normal), this.#params) : normal
  }

  #valueReply(vote: string, value: unknown): Reply {
    const agree = this.#read.agree
    switch (agree.on) {
      case 'whole':
        return { kind: 'value', vote }
      case 'ranked':
        return { kind: 'value', vote, rank: agree.rank(value) }
      case 'items':
        return new ListReply(vote, agree, value)
      case 'history':
        return new HistoryReply(vote, agree, value)
    }
  }
}

function saysTheSame({ bytes, spans }: Body, other: Buffer): boolean {
  return bytes.equals(other) || (spans !== undefined && differInOwnTextsOnly(bytes, spans, other))
}

function fault(kind: FaultKind): Reply {
  return { kind: 'fault', fault: kind }
}

/** A list's items are looked at only when lists differ: they are made when first asked for. */
class ListReply {
  readonly kind = 'value'
  readonly vote: string
  readonly #agree: AnyItems
  readonly #value: unknown
  #items: readonly Item[] | undefined

  constructor(vote: string, agree: AnyItems, value: unknown) {
    this.vote = vote
    this.#agree = agree
    this.#value = value
  }

  get items(): readonly Item[] {
    const { list, key, later } = this.#agree
    this.#items ??= list(this.#value).map((element) => ({
      key: key(element),
      vote: canonicalJson(element as Json),
      later: later(element),
    }))
    return this.#items
  }
}

/** Its steps are looked at only where histories differ. */
class HistoryReply {
  readonly kind = 'value'
  readonly vote: string
  readonly #agree: AnyHistory
  readonly #value: unknown
  #steps: readonly Step[] | undefined

  constructor(vote: string, agree: AnyHistory, value: unknown) {
    this.vote = vote
    this.#agree = agree
    this.#value = value
  }

  get steps(): readonly Step[] {
    const { list, moment } = this.#agree
    this.#steps ??= list(this.#value).map((element) => ({
      vote: canonicalJson(element as Json),
      moment: moment(element),
    }))
    return this.#steps
  }
}

/** Whether a 404's text is one that no row knows: worth a look by the operator. */
export function isUnknownRefusal(reply: Reply): reply is Extract<Reply, { kind: 'abstention' }> {
  return reply.kind === 'abstention' && !isKnownAbstention(reply.reason)
}

function isKnownAbstention(text: string): boolean {
  return knownAbstentions.some((pattern) => pattern.test(text))
}

function tryParse(bytes: Buffer): { readonly value: Json } | FaultKind {
  try {
    return { value: parseJson(isAscii(bytes) ? bytes.toString('latin1') : bytes) }
  } catch (error) {
    if (error instanceof MisshapenJson) return error.isJson ? 'misshapen' : 'not-json'
    throw error
  }
}

function faultOfStatus(status: number): FaultKind {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 429) return 'rate-limited'
  if (status >= 300 && status < 400) return 'redirect'
  return status >= 500 ? 'server-error' : 'unexpected-status'
}

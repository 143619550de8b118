import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import { parseJsonText } from '../../lib/parse-json-text.ts'
import type { Answer, NodeRequest } from '../node-context.ts'
import type { Release } from '../releases.ts'
import { jsonReply, type Reply, textReply, thrownError, unexpectedError } from '../reply.ts'
import type { Annals } from '../world/annals.ts'
import type { ContractWithState } from '../world/contract.ts'
import type { Member } from '../world/network.ts'
import type { View } from '../world/view.ts'

export const notInitialised = thrownError(404, 'No DsoRules contract found')

export function malformed(problem: string): Reply {
  return textReply(400, `The request content was malformed:\n${problem}`)
}

/** Returns an error reply if the body is no JSON object, or its content type is not JSON. */
function jsonObject({
  contentType = '',
  body,
  release,
}: NodeRequest): Reply | { readonly object: Record<string, unknown> } {
  if (body === '') return textReply(400, 'Request entity expected but not supplied')
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    return textReply(415, "The request's Content-Type is not supported. Expected:\napplication/json")
  }
  try {
    const object: unknown = parseJsonText(body)
    if (typeof object === 'object' && object !== null && !Array.isArray(object))
      return tooLongList(object, release) ?? { object: { ...object } }
  } catch {
    return malformed('invalid json')
  }
  return malformed('not a json object')
}

const limitedLists = [
  'cached_open_mining_round_contract_ids',
  'cached_issuing_round_contract_ids',
  'party_ids',
  'templates',
  'owner_party_ids',
  'vote_request_contract_ids',
]

/** Splice checks the length of lists before anything else of a body. */
function tooLongList(body: object, { longestList }: Release): Reply | undefined {
  for (const name of limitedLists) {
    const list: unknown = Reflect.get(body, name)
    if (Array.isArray(list) && list.length > longestList) {
      return thrownError(
        400,
        `Expected '${name}' to contain at most ${longestList} items, but contained ${list.length}.`,
      )
    }
  }
  return undefined
}

export function pageSize(name: string, text: string | undefined): number | Reply {
  if (text === undefined) return textReply(404, `Request is missing required query parameter '${name}'`)
  const size = Number(text)
  if (!/^[+-]?\d+$/.test(text) || size !== (size | 0)) {
    const problem = `'${text}' is not a valid 32-bit signed integer value`
    return textReply(400, `The query parameter '${name}' was malformed:\n${problem}`)
  }
  return limited(size)
}

export function limited(size: number): number | Reply {
  if (size < 1) return thrownError(400, 'Limit must be at least 1.')
  if (size > 1000) return thrownError(400, `Exceeded limit maximum (${size} > 1000).`)
  return size
}

/**
 * @param answer returns a value, which is sent as JSON, or a `ReplyError`, which has a complete
 * reply.
 */
export function fromAnnals(answer: (annals: Annals, question: NodeRequest) => unknown): Answer {
  return (view, question) => {
    if (!view.initialised) return notInitialised
    return whenKnown(view.annals(), (annals) => replyTo(() => answer(annals, question)))
  }
}

export function fromBody(
  answer: (annals: Annals, body: Readonly<Record<string, unknown>>, question: NodeRequest) => unknown,
): Answer {
  return (view, question) => {
    const asked = jsonObject(question)
    if ('status' in asked) return asked
    if (!view.initialised) return notInitialised
    return whenKnown(view.annals(), (annals) => replyTo(() => answer(annals, asked.object, question)))
  }
}

export function fromView(answer: (view: View, question: NodeRequest) => MaybePromise<unknown>): Answer {
  return (view, question) => {
    if (!view.initialised) return notInitialised
    const heard = (error: unknown) => {
      if (error instanceof ReplyError) return error.reply
      throw error
    }
    try {
      const said = whenKnown(answer(view, question), (value) => replyTo(() => value))
      return said instanceof Promise ? said.catch(heard) : said
    } catch (error) {
      return heard(error)
    }
  }
}

export function fromViewBody(
  answer: (
    view: View,
    body: Readonly<Record<string, unknown>>,
    question: NodeRequest,
  ) => MaybePromise<unknown>,
): Answer {
  return (view, question) => {
    const asked = jsonObject(question)
    if ('status' in asked) return asked
    return fromView(() => answer(view, asked.object, question))(view, question)
  }
}

/**
 * A complete reply, such as an error. An `answer` callback returns or throws it in place of a value
 * that is sent with the status 200.
 */
export class ReplyError extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super('another reply')
    this.reply = reply
  }
}

function replyTo(answer: () => unknown): Reply {
  try {
    const said = answer()
    return said instanceof ReplyError ? said.reply : jsonReply(JSON.stringify(said))
  } catch (error) {
    if (error instanceof ReplyError) return error.reply
    throw error
  }
}

/** Returns the index of a super validator: 0 for `sv-1`. */
export function indexOf({ name }: Member): number {
  return Number(name.replace(/\D+/g, '')) - 1
}

/**
 * Rotates the items, so that nodes list equal items in different orders, as the databases of real
 * scans do.
 */
export function rotatedByNode<Item>(items: readonly Item[], { member }: NodeRequest): readonly Item[] {
  const at = items.length === 0 ? 0 : indexOf(member) % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}

/** @throws ReplyError if the value is no party id. */
export function partyOf(text: unknown): string {
  const party = String(text ?? '')
  const problem = partyIdProblem(party)
  if (problem !== undefined) throw new ReplyError(thrownError(400, problem))
  return party
}

const contractText = memoised((contract: ContractWithState) => JSON.stringify(contract))

/**
 * Makes the handler of a read of one contract, which callers may cache. If the contract id in the
 * request is still the current one, the reply has `contract: null`.
 * @param field the field of the reply that has the contract.
 * @param cached the field of the request's body that has the caller's contract id.
 */
export function cachedContract(
  field: string,
  cached: string,
  current: (view: View) => MaybePromise<ContractWithState | undefined>,
): Answer {
  return (view, question) => {
    const asked = jsonObject(question)
    if ('status' in asked) return asked
    const known = asked.object[cached] ?? null
    if (known !== null && typeof known !== 'string') return malformed(`String: DownField(${cached})`)
    if (!view.initialised) return unexpectedError
    return whenKnown(current(view), (contract) => {
      if (contract === undefined) return unexpectedError
      if (known !== contract.contract.contract_id) return jsonReply(`{"${field}":${contractText(contract)}}`)
      return jsonReply(JSON.stringify({ [field]: { contract: null, domain_id: contract.domain_id } }))
    })
  }
}

export function memoised<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}

const safe = /^[a-zA-Z0-9:\-_ ]+$/

/** Returns what is wrong with a party id, in Canton's words; undefined if it is valid. */
export function partyIdProblem(text: string): string | undefined {
  if (text === '') return 'Empty string is not a valid unique identifier.'
  const cut = text.indexOf('::')
  if (cut === -1) return `Invalid unique identifier \`${text}\` with missing namespace.`
  if (cut === 0) return `Invalid unique identifier \`${text}\` with empty identifier.`
  const identifier = partProblem(text.slice(0, cut), 185)
  if (identifier !== undefined) return `Identifier decoding of \`${text}\` failed with: ${identifier}`
  const fingerprint = partProblem(text.slice(cut + 2), 68)
  if (fingerprint !== undefined) return `Fingerprint decoding of \`${text}\` failed with: ${fingerprint}`
  return undefined
}

function partProblem(text: string, longest: number): string | undefined {
  if (text === '') return 'The given string is empty'
  if (text.length > longest) {
    return `The given string has a maximum length of ${longest} but a string of length ${text.length} was given`
  }
  if (!safe.test(text)) return `The given string "${text}" contains characters other than [a-zA-Z0-9:-_ ]`
  return undefined
}

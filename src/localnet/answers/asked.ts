import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import { tryJsonText } from '../../base/lib/parse-json-text.ts'
import type { Answer, NodeRequest } from '../node-context.ts'
import { jsonReply, type Reply, textReply, thrownError, unexpectedError } from '../reply.ts'
import type { Annals } from '../world/annals.ts'
import type { ContractWithState } from '../world/contract.ts'
import type { Member } from '../world/network.ts'
import type { View } from '../world/view.ts'

/** A row of the table of reads. A path has `{}` in the place of each argument. */
export function get<const Id extends string>(id: Id, path: string, answer: Answer) {
  return { id, method: 'GET', path, answer } as const
}

export function post<const Id extends string>(id: Id, path: string, answer: Answer) {
  return { id, method: 'POST', path, answer } as const
}

const notInitialised = thrownError(404, 'No DsoRules contract found')

/** A complete reply, such as an error, in place of a value that is sent with the status 200. */
class ReplyError extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super('another reply')
    this.reply = reply
  }
}

/** Ends an answer with this reply. */
export function refuse(reply: Reply): never {
  throw new ReplyError(reply)
}

/** Returns the reply of an answer that `refuse` ended. Throws other errors. */
export function replyIn(error: unknown): Reply {
  if (error instanceof ReplyError) return error.reply
  throw error
}

/** A request to a node. */
export interface Asked extends NodeRequest {
  /** The JSON object in the body. The request is refused if there is none. */
  readonly json: Readonly<Record<string, unknown>>
}

/** @param answer returns a value, which is sent as JSON. Nodes that know nothing yet call it too. */
export function always(answer: (view: View, question: Asked) => MaybePromise<unknown>): Answer {
  return async (view, request) => {
    const question = {
      ...request,
      get json() {
        return jsonObject(request)
      },
    }
    try {
      return jsonReply(JSON.stringify(await answer(view, question)))
    } catch (error) {
      return replyIn(error)
    }
  }
}

export function fromView(answer: (view: View, question: Asked) => MaybePromise<unknown>): Answer {
  return always((view, question) => {
    if (!view.initialised) refuse(notInitialised)
    return answer(view, question)
  })
}

export function fromAnnals(answer: (annals: Annals, question: Asked) => unknown): Answer {
  return fromView(async (view, question) => answer(await view.annals(), question))
}

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
  return always(async (view, question) => {
    const known = question.json[cached] ?? null
    if (known !== null && typeof known !== 'string') refuse(malformed(`String: DownField(${cached})`))
    const found = view.initialised ? await current(view) : undefined
    const { contract, domain_id } = found ?? refuse(unexpectedError)
    return { [field]: { contract: known === contract.contract_id ? null : contract, domain_id } }
  })
}

export function malformed(problem: string): Reply {
  return textReply(400, `The request content was malformed:\n${problem}`)
}

function jsonObject({ contentType = '', body }: NodeRequest): Asked['json'] {
  if (!/^application\/json\s*(;|$)/i.test(contentType))
    refuse(textReply(415, "The request's Content-Type is not supported. Expected:\napplication/json"))
  const object = tryJsonText(body)
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    refuse(malformed('not a json object'))
  return { ...object }
}

/** Returns the limit in a request if Splice takes it. */
export function limited(given: unknown): number {
  const size = Number(given)
  if (!(size >= 1)) refuse(thrownError(400, 'Limit must be at least 1.'))
  if (size > 1000) refuse(thrownError(400, `Exceeded limit maximum (${size} > 1000).`))
  return size
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

/** Refuses a text that is no party id. */
export function partyOf(text: unknown): string {
  const party = String(text ?? '')
  if (party.indexOf('::') < 1 || !/^[\w: -]+$/.test(party))
    refuse(thrownError(400, `Invalid unique identifier \`${party}\`.`))
  return party
}

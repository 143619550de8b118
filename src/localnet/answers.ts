import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { jsonObject, malformed, notInitialised, pageSize } from './answers/asked.ts'
import type { Answer } from './node-request.ts'
import { partyIdProblem } from './party-id.ts'
import {
  declaredError,
  jsonReply,
  noRoute,
  type Reply,
  replyOf,
  thrownError,
  unexpectedError,
} from './reply.ts'
import type { ContractWithState } from './world/contract.ts'
import type { AnsEntry } from './world/entry.ts'
import type { View } from './world/view.ts'

/** The maximum length of a text in Splice's database, in characters. */
const longestText = 2066

const empty = replyOf(200, [])
const notReady = replyOf(503, [])

function memoised<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}

const entryText = memoised((entry: AnsEntry) => JSON.stringify(entry))
const entryReply = memoised((entry: AnsEntry) => jsonReply(`{"entry":${entryText(entry)}}`))
const contractText = memoised((contract: ContractWithState) => JSON.stringify(contract))

function tooLong(text: string): Reply | undefined {
  if (text.length <= longestText) return undefined
  return thrownError(
    400,
    `The given string has a maximum length of ${longestText} but a string of length ${text.length} was given`,
  )
}

export const listAnsEntries: Answer = (view, { query }) => {
  const size = pageSize('page_size', query.get('page_size'))
  if (typeof size !== 'number') return size
  const prefix = query.get('name_prefix') ?? ''
  const problem = tooLong(prefix)
  if (problem !== undefined) return problem
  return whenKnown(view.entries(prefix, size), (entries) =>
    jsonReply(`{"entries":[${entries.map(entryText).join(',')}]}`),
  )
}

export const lookupAnsEntryByName: Answer = (view, { argument: name }) => {
  const problem = tooLong(name)
  if (problem !== undefined) return problem
  if (!view.initialised) return notInitialised
  return whenKnown(view.entryByName(name), (entry) =>
    entry === undefined ? declaredError(404, `No ans entry found for name: ${name}`) : entryReply(entry),
  )
}

export const lookupAnsEntryByParty: Answer = (view, { argument: party }) => {
  const problem = partyIdProblem(party)
  if (problem !== undefined) return thrownError(400, problem)
  if (!view.initialised) return notInitialised
  return whenKnown(view.entryByParty(party), (entry) =>
    entry === undefined ? declaredError(404, `No ans entry found for party: ${party}`) : entryReply(entry),
  )
}

/**
 * Returns the answer function of a read with Splice's cached-contract protocol: the caller sends the id of the
 * contract that it has. If that is the current contract, the answer has `contract: null`.
 * @param field the member of the reply that has the contract.
 * @param cached the member of the request's body that has the caller's contract id.
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

export const getAnsRules = cachedContract('ans_rules_update', 'cached_ans_rules_contract_id', (view) =>
  view.ansRules(),
)

export const getAmuletRules = cachedContract(
  'amulet_rules_update',
  'cached_amulet_rules_contract_id',
  (view) => view.amuletRules(),
)

export const getDsoPartyId: Answer = (view) => jsonReply(JSON.stringify({ dso_party_id: view.dsoParty() }))

export const listDsoScans: Answer = (view) =>
  view.initialised ? jsonReply(JSON.stringify(view.scans())) : notInitialised

export const getDsoInfo: Answer = (view, { member }) =>
  view.initialised
    ? whenKnown(view.dso(member), (info) =>
        info === undefined ? unexpectedError : jsonReply(JSON.stringify(info)),
      )
    : notInitialised

export const getSpliceInstanceNames: Answer = (view) => jsonReply(JSON.stringify(view.instanceNames()))

export const getVersion: Answer = () =>
  jsonReply(JSON.stringify({ version: '0.7.5', commit_ts: '2026-08-20T09:12:44Z' }))

export const getStatus: Answer = (view, { member, uptimeMs }) => {
  if (!view.initialised) return jsonReply(JSON.stringify({ not_initialized: { active: false } }))
  const seconds = uptimeMs() / 1000
  const uptime = `${Math.floor(seconds / 60)}m ${(seconds % 60).toFixed(3)}s`
  return jsonReply(
    JSON.stringify({ success: { id: member.name, uptime, ports: {}, extra: null, active: true } }),
  )
}

export const isLive: Answer = () => empty

export const isReady: Answer = (view) => (view.initialised ? empty : notReady)

export const unknownPath: Answer = (_view, { uri }) => noRoute(uri)

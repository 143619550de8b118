import { whenKnown } from '../../lib/maybe-promise.ts'
import type { Answer } from '../node-context.ts'
import { declaredError, jsonReply, type Reply, thrownError } from '../reply.ts'
import type { AnsEntry } from '../world/network.ts'
import { cachedContract, memoised, notInitialised, pageSize, partyIdProblem } from './asked.ts'

/** The maximum number of characters of a string in Splice's database. */
const longestText = 2066

const entryText = memoised((entry: AnsEntry) => JSON.stringify(entry))
const entryReply = memoised((entry: AnsEntry) => jsonReply(`{"entry":${entryText(entry)}}`))

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

export const lookupAnsEntryByName: Answer = (view, { lastArgument: name }) => {
  const problem = tooLong(name)
  if (problem !== undefined) return problem
  if (!view.initialised) return notInitialised
  return whenKnown(view.entryByName(name), (entry) =>
    entry === undefined ? declaredError(404, `No ans entry found for name: ${name}`) : entryReply(entry),
  )
}

export const lookupAnsEntryByParty: Answer = (view, { lastArgument: party }) => {
  const problem = partyIdProblem(party)
  if (problem !== undefined) return thrownError(400, problem)
  if (!view.initialised) return notInitialised
  return whenKnown(view.entryByParty(party), (entry) =>
    entry === undefined ? declaredError(404, `No ans entry found for party: ${party}`) : entryReply(entry),
  )
}

export const getAnsRules = cachedContract('ans_rules_update', 'cached_ans_rules_contract_id', (view) =>
  view.ansRules(),
)

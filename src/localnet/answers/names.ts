import { declaredError, thrownError, unexpectedError } from '../reply.ts'
import { always, cachedContract, fromView, get, limited, partyOf, post, refuse } from './asked.ts'

/** The maximum number of characters of a string in Splice's database. */
const longestText = 2066

function ensureShort(text: string): void {
  if (text.length <= longestText) return
  const problem = `The given string has a maximum length of ${longestText} but a string of length ${text.length} was given`
  refuse(thrownError(400, problem))
}

const list = always(async (view, { query }) => {
  const size = limited(query.get('page_size'))
  const prefix = query.get('name_prefix') ?? ''
  ensureShort(prefix)
  return { entries: await view.entries(prefix, size) }
})

const byName = fromView(async (view, { lastArgument: name }) => {
  ensureShort(name)
  const entry = await view.entryByName(name)
  return { entry: entry ?? refuse(declaredError(404, `No ans entry found for name: ${name}`)) }
})

const byParty = fromView(async (view, { lastArgument }) => {
  const party = partyOf(lastArgument)
  const entry = await view.entryByParty(party)
  return { entry: entry ?? refuse(declaredError(404, `No ans entry found for party: ${party}`)) }
})

const rules = cachedContract('ans_rules_update', 'cached_ans_rules_contract_id', (view) => view.ansRules())

const amuletRules = cachedContract('amulet_rules_update', 'cached_amulet_rules_contract_id', (view) =>
  view.amuletRules(),
)

const dsoPartyId = always((view) => ({ dso_party_id: view.dsoParty() }))
const dso = fromView(async (view, { member }) => (await view.dso(member)) ?? refuse(unexpectedError))
const scans = fromView((view) => view.scans())
const instanceNames = always((view) => view.instanceNames())

export const nameReads = [
  get('ans-entries', '/api/scan/v0/ans-entries', list),
  get('by-name', '/api/scan/v0/ans-entries/by-name/{}', byName),
  get('by-party', '/api/scan/v0/ans-entries/by-party/{}', byParty),
  post('ans-rules', '/api/scan/v0/ans-rules', rules),
  post('amulet-rules', '/api/scan/v0/amulet-rules', amuletRules),
  get('dso-party-id', '/api/scan/v0/dso-party-id', dsoPartyId),
  get('dso', '/api/scan/v0/dso', dso),
  get('scans', '/api/scan/v0/scans', scans),
  get('splice-instance-names', '/api/scan/v0/splice-instance-names', instanceNames),
] as const

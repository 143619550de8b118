import { unexpectedError } from '../reply.ts'
import { always, cachedContract, fromView, get, post, refuse } from './asked.ts'

const amuletRules = cachedContract('amulet_rules_update', 'cached_amulet_rules_contract_id', (view) =>
  view.amuletRules(),
)

const dsoPartyId = always((view) => ({ dso_party_id: view.dsoParty() }))
const dso = fromView(async (view, { member }) => (await view.dso(member)) ?? refuse(unexpectedError))
const scans = fromView((view) => view.scans())
const instanceNames = always((view) => view.instanceNames())

export const dsoReads = [
  post('amulet-rules', '/api/scan/v0/amulet-rules', amuletRules),
  get('dso-party-id', '/api/scan/v0/dso-party-id', dsoPartyId),
  get('dso', '/api/scan/v0/dso', dso),
  get('scans', '/api/scan/v0/scans', scans),
  get('splice-instance-names', '/api/scan/v0/splice-instance-names', instanceNames),
] as const

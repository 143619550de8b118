import { contractWithState, party } from '../contract.ts'
import { get, post } from '../endpoint.ts'
import { integer, list, object, optional, string } from '../pattern.ts'

const dsoPartyId = object({ dso_party_id: party })

const scan = object({ publicUrl: string, svName: string })

export const scans = object({
  scans: list(object({ domainId: string, scans: list(scan) })),
})

export const amuletRules = object({ amulet_rules_update: contractWithState })

const dso = object({
  sv_user: string,
  sv_party_id: string,
  dso_party_id: party,
  voting_threshold: integer,
  latest_mining_round: contractWithState,
  amulet_rules: contractWithState,
  dso_rules: contractWithState,
  sv_node_states: list(contractWithState),
  initial_round: optional(string),
})

export const endpoints = {
  getDsoPartyId: get('/v0/dso-party-id', { reply: dsoPartyId }),
  listDsoScans: get('/v0/scans', { reply: scans }),
  getAmuletRules: post('/v0/amulet-rules', { upstreamBody: '{}', reply: amuletRules }),
  getDsoInfo: get('/v0/dso', { reply: dso }),
}

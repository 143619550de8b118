import { contract, isoTime, party } from '../contract.ts'
import { get, post } from '../endpoint.ts'
import { nameParam, namePrefixParam, pageSizeParam, partyParam } from '../params.ts'
import { list, object, optional, string } from '../pattern.ts'

export const ansEntry = object({
  contract_id: optional(string),
  user: party,
  name: string,
  url: string,
  description: string,
  expires_at: optional(isoTime),
})

const oneEntry = object({ entry: ansEntry })

export const entries = object({ entries: list(ansEntry) })

const ansRules = object({ ans_rules_update: object({ contract, domain_id: optional(string) }) })

export const endpoints = {
  listAnsEntries: get('/v0/ans-entries', { params: [namePrefixParam, pageSizeParam], reply: entries }),
  lookupAnsEntryByName: get('/v0/ans-entries/by-name/{name}', {
    params: [nameParam],
    reply: oneEntry,
    repeats: { member: ['entry', 'name'], param: 'name' },
  }),
  lookupAnsEntryByParty: get('/v0/ans-entries/by-party/{party}', {
    params: [partyParam],
    reply: oneEntry,
    repeats: { member: ['entry', 'user'], param: 'party' },
  }),
  getAnsRules: post('/v0/ans-rules', { upstreamBody: '{}', reply: ansRules }),
}

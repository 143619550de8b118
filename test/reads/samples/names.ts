import { alice, assigned, dso } from './contracts.ts'

const aliceEntry = {
  contract_id: '00ab12',
  user: alice,
  name: 'alice.unverified.cns',
  url: 'https://alice.example',
  description: '',
  expires_at: '2036-03-01T12:00:00.123456Z',
}
const dsoEntry = { contract_id: null, user: dso, name: 'dso.cns', url: '', description: '', expires_at: null }

const ansRules = assigned('Splice.Ans:AnsRules', {
  dso,
  config: {
    renewalDuration: { microseconds: '2592000000000' },
    entryLifetime: { microseconds: '7776000000000' },
    entryFee: '1.0',
    descriptionPrefix: 'CNS entry: ',
  },
})

export const nameSamples = {
  listAnsEntries: { params: { page_size: '2' }, reply: { entries: [aliceEntry, dsoEntry] } },
  lookupAnsEntryByName: { params: { name: 'alice.unverified.cns' }, reply: { entry: aliceEntry } },
  lookupAnsEntryByParty: { params: { party: alice }, reply: { entry: aliceEntry } },
  getAnsRules: { params: {}, reply: { ans_rules_update: ansRules } },
} as const

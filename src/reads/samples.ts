import type { ReadId } from './table.ts'

const dso = `DSO::1220${'a'.repeat(64)}`
const alice = `alice::1220${'c'.repeat(64)}`
const synchronizer = `global-domain::1220${'b'.repeat(64)}`

const aliceEntry = {
  contract_id: '00ab12',
  user: alice,
  name: 'alice.unverified.cns',
  url: 'https://alice.example',
  description: '',
  expires_at: '2036-03-01T12:00:00.123456Z',
}
const dsoEntry = { contract_id: null, user: dso, name: 'dso.cns', url: '', description: '', expires_at: null }

const ansRules = {
  template_id: `${'0'.repeat(64)}:Splice.Ans:AnsRules`,
  contract_id: '00a1b2',
  payload: {
    dso,
    config: {
      renewalDuration: { microseconds: '2592000000000' },
      entryLifetime: { microseconds: '7776000000000' },
      entryFee: '1.0',
      descriptionPrefix: 'CNS entry: ',
    },
  },
  created_event_blob: 'CgMyLjESAAo=',
  created_at: '2025-01-15T09:30:00.123456Z',
}
const amuletRules = {
  ...ansRules,
  template_id: `${'0'.repeat(64)}:Splice.AmuletRules:AmuletRules`,
  payload: {
    dso,
    configSchedule: {
      initialValue: { decentralizedSynchronizer: { activeSynchronizer: synchronizer } },
      futureValues: [],
    },
  },
}

/** What a question and its answer look like, for every read. */
export const samples = {
  listAnsEntries: { params: { page_size: '2' }, reply: { entries: [aliceEntry, dsoEntry] } },
  lookupAnsEntryByName: { params: { name: 'alice.unverified.cns' }, reply: { entry: aliceEntry } },
  lookupAnsEntryByParty: { params: { party: alice }, reply: { entry: aliceEntry } },
  getAnsRules: { params: {}, reply: { ans_rules_update: { contract: ansRules, domain_id: synchronizer } } },
  getDsoPartyId: { params: {}, reply: { dso_party_id: dso } },
  listDsoScans: {
    params: {},
    reply: {
      scans: [
        { domainId: synchronizer, scans: [{ publicUrl: 'https://scan.sv-1.example', svName: 'SV-One' }] },
      ],
    },
  },
  getAmuletRules: {
    params: {},
    reply: { amulet_rules_update: { contract: amuletRules, domain_id: synchronizer } },
  },
  getSpliceInstanceNames: {
    params: {},
    reply: {
      network_name: 'Splice',
      network_favicon_url: 'https://splice.example/favicon.ico',
      amulet_name: 'Amulet',
      amulet_name_acronym: 'AMT',
      name_service_name: 'Amulet Name Service',
      name_service_name_acronym: 'ANS',
    },
  },
} as const satisfies Record<
  ReadId,
  { readonly params: Readonly<Record<string, string>>; readonly reply: unknown }
>

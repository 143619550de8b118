import { codePointKey, compareCodePoints } from './code-points.ts'
import { oneContract } from './contract.ts'
import type { ansEntry, entries } from './endpoints/ans.ts'
import { instantKey, laterFirst } from './instant.ts'
import type { TypeOf } from './pattern.ts'
import { defineRead, itemsOf, type Params } from './read.ts'

type AnsEntry = TypeOf<typeof ansEntry>

/**
 * Splice's order of entries (DbScanStore): those of users by name, then the entry of the DSO, then
 * those of super validators by party.
 */
function inServedOrder(a: AnsEntry, b: AnsEntry): number {
  return (
    section(a) - section(b) ||
    (section(a) === 2 ? compareCodePoints(a.user, b.user) : 0) ||
    compareCodePoints(a.name, b.name)
  )
}

function section(entry: AnsEntry): 0 | 1 | 2 {
  if (entry.contract_id !== null) return 0
  return /^dso\.(?!sv\.)/.test(entry.name) ? 1 : 2
}

function listed(elements: readonly AnsEntry[], params: Params): TypeOf<typeof entries> {
  return { entries: [...elements].sort(inServedOrder).slice(0, Number(params['page_size'])) }
}

export const listAnsEntries = defineRead('listAnsEntries', {
  summary: 'Registered names, by prefix.',
  alsoWithoutPrefix: true,
  proxy: { method: 'GET', path: '/v0/scan-proxy/ans-entries' },
  answersQuestion: (value, params) =>
    value.entries.length <= Number(params['page_size']) &&
    value.entries.every((entry) => entry.name.startsWith(params['name_prefix'] ?? '')) &&
    new Set(value.entries.map((entry) => entry.name)).size === value.entries.length,
  agree: itemsOf({
    on: 'items',
    list: (value: TypeOf<typeof entries>) => value.entries,
    key: (entry: AnsEntry) => entry.name,
    later: (entry) => instantKey(entry.expires_at),
    fullPage: (params) => Number(params['page_size']),
    make: listed,
  }),
  cache: {
    fresh: '30s',
    stale: '5m',
    absent: '5s',
    ends: (value) => value.entries.map((entry) => entry.expires_at),
  },
  maxBytes: '4MiB',
  maxElements: (params) => 16 * (Number(params['page_size']) + 1),
})

export const lookupAnsEntryByName = defineRead('lookupAnsEntryByName', {
  summary: 'The entry registered under a name.',
  alsoWithoutPrefix: true,
  proxy: {
    method: 'GET',
    path: '/v0/scan-proxy/ans-entries/by-name/{name}',
    absent: 'Did not find a AnsEntry with name {name}',
  },
  // The DSO archives an entry before its expiry only to renew it. An absence is therefore older
  // than a served entry that has not expired.
  version: { of: ({ entry }) => instantKey(entry.expires_at) || undefined, absence: 'older' },
  absent: ['No ans entry found for name: {name}'],
  cache: { fresh: '30s', stale: '5m', absent: '5s', ends: (value) => [value.entry.expires_at] },
})

export const lookupAnsEntryByParty = defineRead('lookupAnsEntryByParty', {
  summary: "A party's entry; of several the first by name, as each scan orders names.",
  alsoWithoutPrefix: true,
  proxy: {
    method: 'GET',
    path: '/v0/scan-proxy/ans-entries/by-party/{party}',
    absent: 'Party {party} does not have any ANSEntry.',
  },
  agree: {
    on: 'ranked',
    rankInWords: 'by name, by code point',
    rank: ({ entry }) => `${codePointKey(entry.name)}\0${laterFirst(entry.expires_at)}`,
  },
  absent: ['No ans entry found for party: {party}'],
  cache: { fresh: '30s', stale: '5m', absent: '5s', ends: (value) => [value.entry.expires_at] },
})

export const getAnsRules = defineRead('getAnsRules', {
  summary: 'The contract that says what a name costs and how long it lasts.',
  alsoWithoutPrefix: true,
  proxy: { method: 'POST', path: '/v0/scan-proxy/ans-rules' },
  ...oneContract('ans_rules'),
  maxBytes: '256KiB',
})

import { compareCodePoints } from './code-points.ts'
import { newestOf, oneContract } from './contract.ts'
import type { amuletRules, scans } from './endpoints/dso.ts'
import type { TypeOf } from './pattern.ts'
import { defineRead } from './read.ts'

export const getDsoPartyId = defineRead('getDsoPartyId', {
  summary: "The DSO's party id, which names the network.",
  proxy: { method: 'GET', path: '/v0/scan-proxy/dso-party-id' },
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
})

export type DsoScans = TypeOf<typeof scans>

export const listDsoScans = defineRead('listDsoScans', {
  summary: 'The scans that the super validators publish, by synchronizer.',
  normalise: (value) => ({
    scans: value.scans
      .map(({ domainId, scans: all }) => ({
        domainId,
        scans: all.toSorted(
          (a, b) => compareCodePoints(a.svName, b.svName) || compareCodePoints(a.publicUrl, b.publicUrl),
        ),
      }))
      .sort((a, b) => compareCodePoints(a.domainId, b.domainId)),
  }),
  normalises: 'scans are by super validator',
  // A super validator can publish a URL of any length that a transaction can have (10 MB).
  maxBytes: '16MiB',
})

export type AmuletRules = TypeOf<typeof amuletRules>

export const getAmuletRules = defineRead('getAmuletRules', {
  summary: 'The contract that holds the configuration of the network, its active synchronizer among it.',
  proxy: {
    method: 'GET',
    path: '/v0/scan-proxy/amulet-rules',
    serve: (value) => ({ amulet_rules: value.amulet_rules_update }),
  },
  ...oneContract('amulet_rules'),
  maxBytes: '1MiB',
})

/**
 * The read of the DSO's rules and nodes. The daemon serves an empty `sv_user` and the DSO's party as
 * `sv_party_id`, because each scan names its own super validator in these two fields.
 */
export const getDsoInfo = defineRead('getDsoInfo', {
  summary: 'The DSO: its rules, its newest round, and the nodes of its super validators.',
  proxy: { method: 'GET', path: '/v0/scan-proxy/dso' },
  normalise: (value) => ({
    ...value,
    sv_user: '',
    sv_party_id: value.dso_party_id,
    sv_node_states: value.sv_node_states.toSorted((a, b) =>
      compareCodePoints(a.contract.contract_id, b.contract.contract_id),
    ),
  }),
  normalises:
    '`sv_user` is empty and `sv_party_id` is the DSO, because each scan names itself there; `sv_node_states` are by contract id',
  // The creation time of the newest contract never gets smaller: when the ledger archives one of
  // these contracts, it creates a newer one. If a super validator leaves, the ledger creates newer
  // rules of the DSO.
  version: {
    of: ({ latest_mining_round, amulet_rules, dso_rules, sv_node_states }) =>
      newestOf(
        [latest_mining_round, amulet_rules, dso_rules, ...sv_node_states].map((state) => state.contract),
      ),
    absence: 'newer',
  },
  maxBytes: '4MiB',
})

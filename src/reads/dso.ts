import { z } from 'zod'
import { contract, optional } from './contract.ts'
import { isParty } from './party.ts'
import { defineRead } from './read.ts'

const dsoPartyId = z.object({ dso_party_id: z.string().refine(isParty) })

export const getDsoPartyId = defineRead<z.infer<typeof dsoPartyId>>({
  id: 'getDsoPartyId',
  summary: "The DSO's party id, which names the network.",
  method: 'GET',
  scanPath: '/v0/dso-party-id',
  root: false,
  proxy: { method: 'GET', path: '/v0/scan-proxy/dso-party-id' },
  params: [],
  reply: dsoPartyId,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '64KiB',
})

const scan = z.object({ publicUrl: z.string(), svName: z.string() })
const scans = z.object({
  scans: z.array(z.object({ domainId: z.string(), scans: z.array(scan) })),
})

export type DsoScans = z.infer<typeof scans>

export const listDsoScans = defineRead<DsoScans>({
  id: 'listDsoScans',
  summary: 'The scans that the super validators publish, by synchronizer.',
  method: 'GET',
  scanPath: '/v0/scans',
  root: false,
  params: [],
  reply: scans,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '1MiB',
})

const amuletRules = z.object({ amulet_rules_update: z.object({ contract, domain_id: optional(z.string()) }) })

export type AmuletRules = z.infer<typeof amuletRules>

export const getAmuletRules = defineRead<AmuletRules>({
  id: 'getAmuletRules',
  summary: 'The contract that holds the configuration of the network, its active synchronizer among it.',
  method: 'POST',
  scanPath: '/v0/amulet-rules',
  root: false,
  proxy: {
    method: 'GET',
    path: '/v0/scan-proxy/amulet-rules',
    serve: (value) => ({ amulet_rules: value.amulet_rules_update }),
  },
  params: [],
  upstreamBody: '{}',
  cachedContract: {
    field: 'cached_amulet_rules_contract_id',
    alsoAllowed: ['cached_amulet_rules_domain_id'],
    contractId: (value) => value.amulet_rules_update.contract.contract_id,
    withoutContract: (value) => ({ amulet_rules_update: { ...value.amulet_rules_update, contract: null } }),
  },
  reply: amuletRules,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '1MiB',
})

const instanceNames = z.object({
  network_name: z.string(),
  network_favicon_url: z.string(),
  amulet_name: z.string(),
  amulet_name_acronym: z.string(),
  name_service_name: z.string(),
  name_service_name_acronym: z.string(),
})

export const getSpliceInstanceNames = defineRead<z.infer<typeof instanceNames>>({
  id: 'getSpliceInstanceNames',
  summary: 'What the network, its coin and its name service are called.',
  method: 'GET',
  scanPath: '/v0/splice-instance-names',
  root: false,
  params: [],
  reply: instanceNames,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '64KiB',
})

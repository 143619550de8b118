import { isJsonObject } from '../lib/canonical-json.ts'
import {
  byCreation,
  type ContractWithState,
  contract,
  contractWithState,
  decimal,
  isoTime,
  newestOf,
  type ScanContract,
} from './contract.ts'
import { integerIn } from './params.ts'
import { integer, list, object, optional, record, string, type TypeOf } from './pattern.ts'
import { defineRead } from './read.ts'

const byId = record(contractWithState)

const openAndIssuing = object({
  time_to_live_in_microseconds: integer,
  open_mining_rounds: byId,
  issuing_mining_rounds: byId,
})

type Rounds = TypeOf<typeof openAndIssuing>

export const getOpenAndIssuingMiningRounds = defineRead({
  id: 'getOpenAndIssuingMiningRounds',
  summary: 'The mining rounds that are open, and those that rewards are issued for.',
  method: 'POST',
  scanPath: '/v0/open-and-issuing-mining-rounds',
  alsoWithoutPrefix: false,
  proxy: {
    method: 'GET',
    path: '/v0/scan-proxy/open-and-issuing-mining-rounds',
    serve: ({ open_mining_rounds, issuing_mining_rounds }) => ({
      open_mining_rounds: byNumber(open_mining_rounds),
      issuing_mining_rounds: byNumber(issuing_mining_rounds),
    }),
  },
  params: [],
  upstreamBody: '{"cached_open_mining_round_contract_ids":[],"cached_issuing_round_contract_ids":[]}',
  cachedContracts: {
    fields: ['cached_open_mining_round_contract_ids', 'cached_issuing_round_contract_ids'],
    withoutContracts: (value, known) => ({
      ...value,
      open_mining_rounds: without(value.open_mining_rounds, known),
      issuing_mining_rounds: without(value.issuing_mining_rounds, known),
    }),
  },
  reply: openAndIssuing,
  answersQuestion: ({ open_mining_rounds, issuing_mining_rounds }) =>
    namesItsContracts(open_mining_rounds) && namesItsContracts(issuing_mining_rounds),
  normalise: (value) => ({ ...value, time_to_live_in_microseconds: shortestTick(value.open_mining_rounds) }),
  normalises:
    '`time_to_live_in_microseconds` is the shortest `tickDuration` of the open rounds, as scans that have just restarted say it',
  agree: { on: 'whole' },
  // The creation time of the newest open round never gets smaller. That of the newest issuing round
  // may: an issuing round may close before the next one opens.
  version: {
    of: ({ open_mining_rounds }) =>
      newestOf(Object.values(open_mining_rounds).map((round) => round.contract)),
    absence: 'newer',
  },
  absent: [],
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '1MiB',
})

function byNumber(rounds: Rounds['open_mining_rounds']): readonly ContractWithState[] {
  return Object.values(rounds).sort((a, b) => numberOf(a.contract) - numberOf(b.contract))
}

function numberOf({ payload }: ScanContract): number {
  const { round } = payload
  return isJsonObject(round) ? Number(round['number']) : Number.NaN
}

function without(rounds: Rounds['open_mining_rounds'], known: ReadonlySet<string>) {
  return Object.fromEntries(
    Object.entries(rounds).map(([id, round]) => [id, known.has(id) ? { ...round, contract: null } : round]),
  )
}

function namesItsContracts(rounds: Rounds['open_mining_rounds']): boolean {
  return Object.entries(rounds).every(([id, round]) => id === round.contract.contract_id)
}

/**
 * Returns the shortest tick of the open rounds, in microseconds. Returns 0 if no tick is known, so
 * that callers do not cache the answer.
 */
function shortestTick(rounds: Rounds['open_mining_rounds']): number {
  const ticks = Object.values(rounds).map(({ contract: { payload } }) => {
    const { tickDuration } = payload
    return isJsonObject(tickDuration) ? Number(tickDuration['microseconds']) : Number.NaN
  })
  const known = ticks.filter(Number.isSafeInteger)
  return known.length === 0 ? 0 : Math.min(...known)
}

const closedRounds = object({ rounds: list(contract) })

export const getClosedRounds = defineRead({
  id: 'getClosedRounds',
  summary: 'The closed mining rounds that are not settled yet, the earliest first.',
  method: 'GET',
  scanPath: '/v0/closed-rounds',
  alsoWithoutPrefix: false,
  params: [],
  reply: closedRounds,
  normalise: ({ rounds }) => ({
    rounds: rounds.toSorted((a, b) => numberOf(a) - numberOf(b) || byCreation(a, b)),
  }),
  normalises: '`rounds` are by their number',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '4MiB',
})

const rate = object({
  initial: decimal,
  steps: list(object({ amount: decimal, rate: decimal })),
})
const amuletConfig = object({
  amulet_create_fee: decimal,
  holding_fee: decimal,
  lock_holder_fee: decimal,
  transfer_fee: rate,
})

export const getAmuletConfigForRound = defineRead({
  id: 'getAmuletConfigForRound',
  summary: 'The fees of a mining round (deprecated by Splice).',
  method: 'GET',
  scanPath: '/v0/amulet-config-for-round',
  alsoWithoutPrefix: false,
  params: [integerIn('round', 'query', 'The number of the round.')],
  reply: amuletConfig,
  agree: { on: 'whole' },
  absent: ['There is no round {round}.', '*'],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '64KiB',
})

const externalPartyRules = object({ external_party_amulet_rules_update: contractWithState })

export const getExternalPartyAmuletRules = defineRead({
  id: 'getExternalPartyAmuletRules',
  summary: 'The contract by which external parties transfer.',
  method: 'POST',
  scanPath: '/v0/external-party-amulet-rules',
  alsoWithoutPrefix: false,
  params: [],
  upstreamBody: '{}',
  cachedContract: {
    field: 'cached_external_party_amulet_rules_contract_id',
    alsoAllowed: ['cached_external_party_amulet_rules_domain_id'],
    contractId: (value) => value.external_party_amulet_rules_update.contract.contract_id,
    withoutContract: (value) => ({
      external_party_amulet_rules_update: { ...value.external_party_amulet_rules_update, contract: null },
    }),
  },
  reply: externalPartyRules,
  agree: { on: 'whole' },
  version: { of: (value) => newestOf([value.external_party_amulet_rules_update.contract]), absence: 'newer' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '256KiB',
})

const migrationId = object({ migration_id: integer })

export const getMigrationId = defineRead({
  id: 'getMigrationId',
  summary: 'The last migration of the network.',
  method: 'GET',
  scanPath: '/v0/migrations/last',
  alsoWithoutPrefix: false,
  params: [],
  reply: migrationId,
  agree: { on: 'whole' },
  version: { of: ({ migration_id: id }) => String(id).padStart(10, '0'), absence: 'newer' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '64KiB',
})

const lsu = object({
  lsu: optional(
    object({
      topologyFreezeTime: isoTime,
      upgradeTime: isoTime,
      successorPhysicalSynchronizerId: string,
    }),
  ),
})

export const getLsu = defineRead({
  id: 'getLsu',
  summary: 'The next logical upgrade of the synchronizer; null where none is announced.',
  method: 'GET',
  scanPath: '/v0/lsu',
  alsoWithoutPrefix: false,
  params: [],
  reply: lsu,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '64KiB',
})

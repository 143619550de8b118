import { isJsonObject } from '../../base/lib/canonical-json.ts'
import { byCreation, type ContractWithState, newestOf, oneContract, type ScanContract } from './contract.ts'
import type { openAndIssuing } from './endpoints/rounds.ts'
import type { TypeOf } from './pattern.ts'
import { defineRead } from './read.ts'

type Rounds = TypeOf<typeof openAndIssuing>

export const getOpenAndIssuingMiningRounds = defineRead('getOpenAndIssuingMiningRounds', {
  summary: 'The mining rounds that are open, and those that rewards are issued for.',
  proxy: {
    method: 'GET',
    path: '/v0/scan-proxy/open-and-issuing-mining-rounds',
    serve: ({ open_mining_rounds, issuing_mining_rounds }) => ({
      open_mining_rounds: byNumber(open_mining_rounds),
      issuing_mining_rounds: byNumber(issuing_mining_rounds),
    }),
  },
  cachedContracts: {
    members: ['open_mining_rounds', 'issuing_mining_rounds'],
    fields: ['cached_open_mining_round_contract_ids', 'cached_issuing_round_contract_ids'],
  },
  answersQuestion: ({ open_mining_rounds, issuing_mining_rounds }) =>
    namesItsContracts(open_mining_rounds) && namesItsContracts(issuing_mining_rounds),
  normalise: (value) => ({ ...value, time_to_live_in_microseconds: shortestTick(value.open_mining_rounds) }),
  normalises:
    '`time_to_live_in_microseconds` is the shortest `tickDuration` of the open rounds, as scans that have just restarted say it',
  // The creation time of the newest open round never gets smaller. That of the newest issuing round
  // may: an issuing round may close before the next one opens.
  version: {
    of: ({ open_mining_rounds }) =>
      newestOf(Object.values(open_mining_rounds).map((round) => round.contract)),
    absence: 'newer',
  },
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '1MiB',
})

function byNumber(rounds: Rounds['open_mining_rounds']): readonly ContractWithState[] {
  return Object.values(rounds).sort((a, b) => numberOf(a.contract) - numberOf(b.contract))
}

function numberOf({ payload }: ScanContract): number {
  const { round } = payload
  return isJsonObject(round) ? Number(round['number'] ?? Number.NaN) : Number.NaN
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

export const getClosedRounds = defineRead('getClosedRounds', {
  summary: 'The closed mining rounds that are not settled yet, the earliest first.',
  normalise: ({ rounds }) => ({
    rounds: rounds.toSorted((a, b) => numberOf(a) - numberOf(b) || byCreation(a, b)),
  }),
  normalises: '`rounds` are by their number',
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '4MiB',
})

export const getAmuletConfigForRound = defineRead('getAmuletConfigForRound', {
  summary: 'The fees of a mining round (deprecated by Splice).',
  absent: ['There is no round {round}.', '*'],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
})

export const getExternalPartyAmuletRules = defineRead('getExternalPartyAmuletRules', {
  summary: 'The contract by which external parties transfer.',
  ...oneContract('external_party_amulet_rules'),
  maxBytes: '256KiB',
})

export const getMigrationId = defineRead('getMigrationId', {
  summary: 'The last migration of the network.',
  version: { of: ({ migration_id: id }) => String(id).padStart(10, '0'), absence: 'newer' },
})

export const getLsu = defineRead('getLsu', {
  summary: 'The next logical upgrade of the synchronizer; null where none is announced.',
})

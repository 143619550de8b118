import type { ReadId } from '../../src/core/reads/endpoints.ts'
import type { Params } from '../../src/core/reads/read.ts'
import type { WorldLocalnet } from '../../src/localnet/localnet.ts'
import type { Annals } from '../../src/localnet/world/annals.ts'
import { numberOf } from '../../src/localnet/world/mining-rounds.ts'
import type { World } from '../../src/localnet/world/world.ts'
import { tokenRegistrySamples } from '../reads/samples/token-registry.ts'

/**
 * Returns a question for every read. A localnet of this world answers every question with a value, except
 * `getMigrationSchedule`, because no localnet migrates.
 */
export function everyQuestion({
  annals,
  ansRules,
  members,
  snapshotTimes,
  synchronizer,
  userEntries,
}: Facts): Questions {
  const partyOf = (owner: string) =>
    userEntries.find(({ user }) => user.startsWith(`${owner}::`))?.user ?? `${owner}::1220ab`
  const [alice, acme, bob] = [partyOf('alice'), partyOf('acme-validator-1'), partyOf('bob')]
  const dso = String(ansRules.contract.payload['dso'])
  const [snapshot = 0] = snapshotTimes
  // The last snapshot but one, because some nodes may not have the last snapshot yet.
  const recent = snapshotTimes.at(-2) ?? snapshot
  const lastUpdate = annals.updates.at(-1)?.body
  const anUpdate = annals.updates[5]
  const recordTime = String(annals.updates.find(({ at }) => at === anUpdate?.at)?.body['record_time'])
  const at = { migration_id: 0, record_time: isoOf(snapshot), record_time_match: 'exact' }
  const page = {
    after: { after_migration_id: 0, after_record_time: recordTime },
    page_size: 20,
    daml_value_encoding: 'compact_json',
  }
  const update = { update_id: String(anUpdate?.body['update_id']) }
  const [rewards] = annals.rewards()
  const round = { round_number: String(rewards?.round) }
  return {
    listAnsEntries: { page_size: '1000' },
    lookupAnsEntryByName: { name: 'alice.unverified.cns' },
    lookupAnsEntryByParty: { party: bob },
    getAnsRules: {},
    getDsoPartyId: {},
    listDsoScans: {},
    getAmuletRules: {},
    getDsoInfo: {},
    getOpenAndIssuingMiningRounds: {},
    getClosedRounds: {},
    getAmuletConfigForRound: { round: roundOf(annals.openRounds[0]) },
    getExternalPartyAmuletRules: {},
    getMigrationId: {},
    getLsu: {},
    listFeaturedAppRights: {},
    listFeaturedAppRightsByProvider: { provider_party_id: acme },
    lookupFeaturedAppRight: { provider_party_id: partyOf('kite-labs-validator') },
    lookupFeaturedAppRightByContractId: { contract_id: annals.featuredApps[0]?.contract_id ?? '' },
    lookupTransferPreapprovalByParty: { party: alice },
    lookupTransferCommandCounterByParty: { party: alice },
    lookupTransferCommandStatus: { sender: alice, nonce: '2' },
    listUnclaimedDevelopmentFundCoupons: {},
    listDsoSequencers: {},
    getPartyToParticipant: { domain_id: synchronizer, party_id: alice },
    getPartyToParticipantV1: { domain_id: synchronizer, party_id: dso },
    getValidatorFaucetsByValidator: { validator_ids: JSON.stringify([acme, partyOf('kite-labs-validator')]) },
    listValidatorLicenses: { limit: '10' },
    getMigrationSchedule: {},
    getSpliceInstanceNames: {},
    lookupDsoRulesVoteRequest: { vote_request_contract_id: annals.voteRequests[0]?.contract_id ?? '' },
    listDsoRulesVoteRequests: {},
    listVoteRequestsByTrackingCid: body({
      vote_request_contract_ids: annals.voteRequests.map(({ contract_id: id }) => id).sort(),
    }),
    listAmuletPriceVotes: {},
    listVoteRequestResults: body({ limit: 10 }),
    countVoteRequestResults: body({}),
    getPreviousSvRewardWeight: body({ svParty: members[0]?.party }),
    getDateOfMostRecentSnapshotBefore: { before: isoOf(recent), migration_id: '0' },
    getDateOfFirstSnapshotAfter: { after: '2000-01-01T00:00:00Z', migration_id: '0' },
    getAcsSnapshotAt: body({ ...at, page_size: 2 }),
    getAcsSnapshotAtV1: body({ ...at, page_size: 2 }),
    getAcsSnapshotAtV2: body({ ...at, page_size: 2 }),
    getHoldingsStateAt: body({ ...at, page_size: 10, owner_party_ids: [alice] }),
    getHoldingsStateAtV1: body({ ...at, page_size: 10, owner_party_ids: [alice] }),
    getHoldingsStateAtV2: body({ ...at, page_size: 10, owner_party_ids: [alice] }),
    getHoldingsSummaryAt: body({ ...at, owner_party_ids: [alice, bob].sort(), as_of_round: 28_811 }),
    getHoldingsSummaryAtV1: body({ ...at, owner_party_ids: [alice, bob].sort() }),
    getBulkObjectChecksums: body({ object_keys: ['updates-1', 'unknown'] }),
    getRewardAccountingActivityTotals: round,
    getRewardAccountingRootHash: round,
    getRewardAccountingBatch: { ...round, batch_hash: rewards?.rootHash ?? '' },
    getUpdateHistoryV2: body(page),
    getUpdateByIdV2: update,
    getUpdateByHash: { hash: anUpdate?.externalHash ?? '' },
    getUpdateHistoryV1: body(page),
    getUpdateByIdV1: update,
    getUpdatesBefore: body({
      migration_id: 0,
      synchronizer_id: synchronizer,
      before: lastUpdate?.['record_time'],
      count: 10,
    }),
    getImportUpdates: body({ migration_id: 0, after_update_id: '', limit: 10 }),
    getEventHistory: body(page),
    getEventById: update,
    getLatestEventRecordTime: {},
    ...tokenRegistryQuestions(annals, { dso, alice, bob }),
  }
}

/** Returns a question for every read of a localnet without a ledger. */
export function questionsTo({ world, truth }: Pick<WorldLocalnet, 'world' | 'truth'>): Questions {
  const { snapshotTimes } = world
  return everyQuestion({
    ...world,
    annals: truth.annals(),
    snapshotTimes,
    userEntries: truth.entries('', 1000),
  })
}

export type Questions = Readonly<Record<ReadId, Params>>

type Facts = Pick<World, 'snapshotTimes' | 'ansRules' | 'members' | 'synchronizer'> & {
  readonly annals: Pick<
    Annals,
    'openRounds' | 'rewards' | 'updates' | 'featuredApps' | 'voteRequests' | 'instructions' | 'allocations'
  >
  readonly userEntries: readonly { readonly user: string }[]
}

type Parties = Readonly<Record<'dso' | 'alice' | 'bob', string>>

function tokenRegistryQuestions(
  { instructions, allocations }: Facts['annals'],
  { dso, alice, bob }: Parties,
) {
  const factory = body({
    choiceArguments: { expectedAdmin: dso, transfer: { sender: alice, receiver: bob, amount: '1.0' } },
    excludeDebugFields: true,
  })
  const contracts: Params = {
    transferInstructionId: instructions[0]?.contractId ?? '',
    allocationId: allocations[0]?.contractId ?? '',
  }
  const ofThisWorld = (sample: Params) =>
    Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, contracts[name] ?? value]))
  const questions = Object.entries(tokenRegistrySamples).map(([id, { params }]) => [
    id,
    id.includes('Factory') ? factory : ofThisWorld(params),
  ])
  return Object.fromEntries(questions) as Readonly<Record<keyof typeof tokenRegistrySamples, Params>>
}

function body(value: object): Params {
  return { body: JSON.stringify(value) }
}

function roundOf(round: Annals['openRounds'][number] | undefined): string {
  return round === undefined ? '0' : String(numberOf(round))
}

/** `at` is in microseconds since 1970. */
function isoOf(at: number): string {
  const fraction = String(at % 1_000_000).padStart(6, '0')
  return `${new Date(Math.floor(at / 1_000)).toISOString().slice(0, 19)}.${fraction}Z`.replace(/\.?0+Z$/, 'Z')
}

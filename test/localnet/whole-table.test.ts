import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { Params } from '../../src/core/reads/read.ts'
import { upstreamOf } from '../../src/core/reads/request.ts'
import { reads } from '../../src/core/reads/table.ts'
import { noAnnals } from '../../src/localnet/world/annals.ts'
import { type ContractWithState, microsIn } from '../../src/localnet/world/contract.ts'
import { advance } from '../support/caller.ts'
import { type Running, type Stage, startEmbedded, startStage } from '../support/daemon.ts'
import { everyQuestion, type Questions, questionsTo } from '../support/every-question.ts'
import { untilNextSnapshot } from '../support/next-snapshot.ts'

/** Splice too refuses these reads in a network that was never migrated. */
const neverThere: readonly ReadId[] = ['getImportUpdates', 'getLsu', 'getMigrationSchedule']
const refused: readonly ReadId[] = readIds.filter((id) => id.startsWith('getAllocationInstruction'))
/** Reads of things that a new network lacks until somebody makes them. */
const notMadeYet: readonly ReadId[] = readIds.filter((id) =>
  [
    /^listFeaturedApp|^lookupFeaturedApp/,
    /^lookupTransfer|^listUnclaimedDevelopmentFundCoupons$/,
    /VoteRequest(?!Results$)|^listVoteRequestResults$/,
    /^getUpdateByHash$/,
    /^get(TransferInstruction|Allocation)\w*Context/,
  ].some((pattern) => pattern.test(id)),
)

/** The release that has every path of the table. */
const newestRelease = { 'localnet.releases': ['0.9'] }

interface Asked {
  readonly id: ReadId
  readonly status: number
  readonly holdsNothing: boolean
  readonly text: string
}

async function ask(running: Pick<Running, 'get'>, id: ReadId, params: Params): Promise<Asked> {
  const { method, path, body } = upstreamOf({ read: reads[id], params })
  const { status, text } = await running.get(path, body === undefined ? { method } : { method, body })
  const value: unknown = text === '' ? {} : JSON.parse(text)
  return { id, status, holdsNothing: Object.values(value as object).every(isEmpty), text }
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}

function askAll(running: Pick<Running, 'get'>, questions: Questions): Promise<readonly Asked[]> {
  return Promise.all(readIds.map((id) => ask(running, id, questions[id])))
}

function expectAnswers(all: readonly Asked[], without: readonly ReadId[]): void {
  expect(all.filter(({ status }) => status >= 500)).toEqual([])
  const missing = all.filter(({ status, holdsNothing }) => status !== 200 || holdsNothing)
  expect(missing.map(({ id }) => id).sort()).toEqual([...new Set(without)].sort())
}

describe('a localnet without a ledger', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage({ config: newestRelease })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const questions = () => questionsTo(stage.localnet)

  test('answers every read of the table, at its start and months later', async () => {
    expectAnswers(await askAll(stage, questions()), [...neverThere, ...refused])
    await advance(stage.localnet.control, '70d')
    const later = { ...questions(), lookupAnsEntryByName: { name: 'dso.cns' } }
    const owner = { party: stage.localnet.world.dsoParty }
    expectAnswers(await askAll(stage, { ...later, lookupAnsEntryByParty: owner }), [
      ...neverThere,
      ...refused,
    ])
  })

  test('hosts every party that it knows', async () => {
    const { world, truth } = stage.localnet
    for (const party of [truth.entryByName('victor.unverified.cns')?.user, world.members[1]?.party]) {
      const question = { domain_id: world.synchronizer, party_id: party ?? '' }
      expect(await ask(stage, 'getPartyToParticipant', question)).toMatchObject({ status: 200 })
    }
  })
})

describe('a localnet on the embedded ledger', () => {
  let running: Running<undefined>
  let alice: string
  beforeAll(async () => {
    running = await startEmbedded(newestRelease)
    const name = { name: 'alice.unverified.cns', url: '', description: '' }
    await running.daemon.names?.register('alice', name)
    alice = (await running.daemon.names?.ledger.findParty('alice')) ?? ''
    // After eight rounds, some rounds issue coin and others are closed.
    for (let round = 0; round < 8; round++) await advance(running.daemon.localnet?.control ?? '', '11m')
    await untilNextSnapshot(running.daemon.localnet?.control)
  }, 60_000)
  afterAll(() => running[Symbol.asyncDispose]())

  const json = async (id: ReadId, params: Params) => JSON.parse((await ask(running, id, params)).text)
  /** Makes questions for all reads, with parameters from other answers of the daemon. */
  async function questions(): Promise<Questions> {
    const [{ scans }, { ans_rules_update: rules }, { transactions }, snapshot, rounds, { rounds: closed }] =
      await Promise.all([
        json('listDsoScans', {}),
        json('getAnsRules', {}),
        json('getUpdateHistoryV2', { body: '{"page_size":10,"daml_value_encoding":"compact_json"}' }),
        json('getDateOfMostRecentSnapshotBefore', { before: '2100-01-01T00:00:00Z', migration_id: '0' }),
        json('getOpenAndIssuingMiningRounds', {}),
        json('getClosedRounds', {}),
      ])
    const round = Number(closed[0].payload.round.number)
    const { root_hash: rootHash } = await json('getRewardAccountingRootHash', { round_number: String(round) })
    const openRounds: ContractWithState[] = Object.values(rounds.open_mining_rounds)
    const annals = {
      ...noAnnals,
      openRounds,
      updates: transactions.map((body: { record_time: string }) => ({
        at: microsIn(body.record_time),
        body,
      })),
      rewards: () => [{ round, rootHash, batches: new Map(), totals: null }],
    }
    const [synchronizer] = scans
    const members = running.daemon.localnet?.superValidators ?? []
    const facts = { annals, ansRules: rules, members: members as never, synchronizer: synchronizer.domainId }
    const made = everyQuestion({
      ...facts,
      snapshotTimes: [microsIn(snapshot.record_time)],
      userEntries: [{ user: alice }],
    })
    const validators = members.map(({ party }) => party).sort()
    const owned = { migration_id: 0, record_time: snapshot.record_time, record_time_match: 'exact' }
    const holders = JSON.stringify({ ...owned, owner_party_ids: [alice] })
    return {
      ...made,
      lookupAnsEntryByParty: { party: alice },
      getValidatorFaucetsByValidator: { validator_ids: JSON.stringify(validators) },
      getHoldingsSummaryAt: { body: holders },
      getHoldingsSummaryAtV1: { body: holders },
    }
  }

  test('answers every read of the table, except reads of things that nobody has made yet', async () => {
    const all = await askAll(running, await questions())
    expectAnswers(all, [...neverThere, ...refused, ...notMadeYet])
  })

  test('hosts a party as soon as it is allocated, and no other', async () => {
    const asked = async (party: string) => {
      const { scans } = await json('listDsoScans', {})
      return ask(running, 'getPartyToParticipant', { domain_id: scans[0].domainId, party_id: party })
    }
    const { ledger } = running.daemon.names ?? {}
    const zoe = (await ledger?.partyOf('zoe', 'zoe')) ?? ''
    expect(await asked(zoe)).toMatchObject({
      status: 200,
      text: JSON.stringify({ participant_id: `PAR::${ledger?.participantId}` }),
    })
    expect(await asked(zoe.replace('zoe', 'nobody'))).toMatchObject({ status: 404 })
  })

  test('has the sequencers that the contracts of its super validators name', async () => {
    const { domainSequencers } = await json('listDsoSequencers', {})
    const { sv_node_states: states } = await json('getDsoInfo', {})
    const [[, node]] = states[0].contract.payload.state.synchronizerNodes
    const { sequencerId: id, url, availableAfter } = node.sequencer
    expect(domainSequencers[0].sequencers).toHaveLength(4)
    expect(domainSequencers[0].sequencers).toContainEqual(
      expect.objectContaining({ id, url, availableAfter }),
    )
  })
})

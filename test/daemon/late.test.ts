import { describe, expect, test } from 'vitest'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { reads } from '../../src/core/reads/table.ts'
import type { ReadId as LocalnetRead } from '../../src/localnet/reads.ts'
import { type Stage, settled, startStage } from '../support/daemon.ts'
import { asksOf, nothingKept, read } from './questions.ts'

const threshold = 5
const histories: readonly (readonly [ReadId, LocalnetRead])[] = [
  ['getUpdateHistoryV2', 'backfilling-status'],
  ['getUpdateByIdV2', 'backfilling-status'],
  ['getEventHistory', 'backfilling-status'],
  ['getUpdatesBefore', 'migration-info'],
  ['getAcsSnapshotAtV1', 'migration-info'],
  ['getRewardAccountingRootHash', 'earliest-round'],
]

const start = () => startStage({ superValidators: 13, config: nothingKept })

async function untilKnown(stage: Stage, id: ReadId, names: readonly string[], asked: LocalnetRead) {
  while (names.some((name) => stage.localnet.asks(name, asked) === 0)) {
    expect((await read(stage, id)).status).toBe(200)
  }
}

describe('of super validators that joined late', () => {
  test.each(histories)('%s is not asked, and takes as few asks as of healthy ones', async (id, asked) => {
    await using stage = await start()
    const truth = await read(stage, id)
    const late = stage.names.slice(threshold)
    await stage.fault(late, { kind: 'late', by: 5_000 })
    await untilKnown(stage, id, late, asked)
    const [before, beforeLate] = [stage.asks(), asksOf(stage, late)]
    for (let count = 0; count < 10; count++) {
      const { status, text } = await read(stage, id)
      expect({ status, value: JSON.parse(text) }).toEqual({ status: 200, value: JSON.parse(truth.text) })
    }
    expect(asksOf(stage, late)).toBe(beforeLate)
    const least = reads[id].proves === undefined ? threshold : 1
    expect(stage.asks() - before).toBe(10 * least)
    expect(asksOf(stage, late, asked), 'each was asked what it has once').toBe(late.length)
  })

  test('what they say is asked again after ten minutes, when they have loaded it all', async () => {
    await using stage = await start()
    const late = stage.names.slice(threshold)
    await stage.fault(late, 'late')
    await untilKnown(stage, 'getUpdateHistoryV2', late, 'backfilling-status')
    await stage.fault(late, undefined)
    const before = asksOf(stage, late)
    await read(stage, 'getUpdateHistoryV2')
    expect(asksOf(stage, late)).toBe(before)
    stage.clock.advance(601_000)
    await settled(stage)
    while (asksOf(stage, late) === before) await read(stage, 'getUpdateHistoryV2')
  })

  test('one that has what another question is about is asked that', async () => {
    await using stage = await start()
    const late = stage.names.slice(1)
    await stage.fault(late, { kind: 'late', by: 30_500, only: ['updates-before', 'migration-info'] })
    const last = stage.localnet.truth.annals().updates.at(-1)?.body
    const before = asksOf(stage, late, 'updates-before')
    const body = JSON.stringify({
      migration_id: 0,
      synchronizer_id: stage.localnet.world.synchronizer,
      before: last?.['record_time'],
      count: 10,
    })
    for (let count = 0; count < 5; count++) {
      expect(
        (await stage.get('/api/scan/v0/backfilling/updates-before', { method: 'POST', body })).status,
      ).toBe(200)
      await settled(stage)
    }
    expect(asksOf(stage, late, 'updates-before') - before).toBeGreaterThanOrEqual(5 * (threshold - 1))
    expect(asksOf(stage, late, 'migration-info'), 'all agreed: nobody is asked what it has').toBe(0)
  })
})

describe('what a super validator says it has', () => {
  test('is not asked where all give the same', async () => {
    await using stage = await start()
    for (const [id] of histories) for (let count = 0; count < 3; count++) await read(stage, id)
    for (const [, asked] of histories) expect(asksOf(stage, stage.names, asked)).toBe(0)
  })

  test('is believed of no liar: those that have it are asked all the same where others are too few', async () => {
    await using stage = await start()
    const truth = await read(stage, 'getUpdateHistoryV2')
    await stage.fault(stage.names.slice(0, 4), 'lie')
    await stage.fault(stage.names.slice(4, 12), { kind: 'late', only: ['backfilling-status'] })
    for (let count = 0; count < 20; count++) {
      const { status, text } = await read(stage, 'getUpdateHistoryV2')
      expect({ status, text }).toEqual({ status: 200, text: truth.text })
    }
    expect(asksOf(stage, stage.names.slice(4, 12), 'backfilling-status')).toBeGreaterThan(0)
  })

  test('gives nobody more weight: who says that it has all and has not changes no answer', async () => {
    await using stage = await start()
    const truth = await read(stage, 'getUpdateByIdV2')
    await stage.fault(stage.names.slice(0, 4), { kind: 'late', only: ['update'] })
    for (let count = 0; count < 20; count++) {
      const { status, text } = await read(stage, 'getUpdateByIdV2')
      expect({ status, text }).toEqual({ status: 200, text: truth.text })
    }
  })
})

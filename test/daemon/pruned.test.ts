import { describe, expect, test } from 'vitest'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import type { Faults } from '../../src/localnet/faults.ts'
import type { Heard } from '../localnet/ask.ts'
import { advanceBy, type Stage, startStage } from '../support/daemon.ts'
import { asksOf, nothingKept, read } from './questions.ts'

const threshold = 5
/**
 * Reads of a page of history. Their questions ask for what follows the sixth of sixty updates, which pruned nodes no
 * longer have.
 */
const pages = ['getUpdateHistoryV2', 'getUpdateHistoryV1', 'getEventHistory'] as const
const others = ['getUpdateByIdV2', 'getUpdateByIdV1', 'getEventById', 'getAcsSnapshotAtV1'] as const
/** A node with this fault has only about the later half of the updates. */
const pruned: Faults = { kind: 'pruned', keeps: 30_000, says: 'not-found' }

const start = (config = {}) => startStage({ superValidators: 13, config: { ...nothingKept, ...config } })

async function dissents(stage: Stage): Promise<readonly string[]> {
  await advanceBy(stage, 61)
  const { families } = await stage.metrics()
  const samples = families.get('scan_proxy_votes_total')?.samples ?? []
  return samples
    .filter(({ labels, value }) => value > 0 && ['dissent', 'split'].includes(labels['vote'] ?? ''))
    .map(({ labels }) => `${labels['sv']} ${labels['vote']}`)
}

describe('where all but as many as must agree have pruned what is asked', () => {
  test.each(pages)('%s is answered, and those that have pruned it are asked no more', async (id) => {
    await using stage = await start()
    const truth = await read(stage, id)
    const without = stage.names.slice(threshold)
    await stage.fault(without, pruned)
    while (without.some((name) => stage.localnet.asks(name, 'migration-info') === 0))
      expect((await read(stage, id)).status).toBe(200)
    const [before, beforeWithout] = [stage.asks(), asksOf(stage, without)]
    for (let count = 0; count < 5; count++) {
      const { status, text } = await read(stage, id)
      expect({ status, value: JSON.parse(text) }).toEqual({ status: 200, value: JSON.parse(truth.text) })
    }
    expect(asksOf(stage, without)).toBe(beforeWithout)
    expect(stage.asks() - before).toBe(5 * threshold)
    expect(await dissents(stage)).toEqual([])
  })

  test('an update, an event and a snapshot are answered by those that have them, and nobody dissents', async () => {
    await using stage = await start({ 'scanClient.fanout': 'all' })
    const truths = new Map<ReadId, Heard>()
    for (const id of others) truths.set(id, await read(stage, id))
    await stage.fault(stage.names.slice(threshold), pruned)
    for (const id of others) {
      const { status, text } = await read(stage, id)
      const value = JSON.parse(truths.get(id)?.text ?? '')
      expect({ id, status, value: JSON.parse(text) }).toEqual({ id, status: 200, value })
    }
    expect(await dissents(stage)).toEqual([])
  })
})

test('one that prunes before all others is no dissenter', async () => {
  await using stage = await start({ 'scanClient.fanout': 'all' })
  await stage.fault(['sv-1'], pruned)
  for (const id of [...pages, ...others, 'getDateOfFirstSnapshotAfter'] as const)
    expect((await read(stage, id)).status, id).toBe(200)
  expect(await dissents(stage)).toEqual([])
  const { value } = await stage.metrics()
  const votes = (vote: string) =>
    value('scan_proxy_votes_total', { sv: 'sv-1', read: 'getUpdateByIdV2', vote })
  expect([votes('abstain'), votes('agree')]).toEqual([1, 0])
})

test('super validators that are the last to have an update do not dissent from its absence', async () => {
  await using stage = await start({ 'scanClient.fanout': 'all' })
  await stage.fault(stage.names.slice(threshold - 1), pruned)
  expect((await read(stage, 'getUpdateByIdV2')).status).toBe(404)
  expect(await dissents(stage)).toEqual([])
})

describe('a page that nobody has any more', () => {
  test.each([
    ['not-found', 404, 'The super validators do not have that part of the history, or not any more.'],
    ['unavailable', 503, 'The super validators have not yet replicated that part of the history.'],
  ] as const)('and that scans refuse as %s is %s', async (says, status, error) => {
    for (const threshold of ['f+1', '2f+1']) {
      await using stage = await start({ 'scanClient.threshold': threshold })
      await stage.fault(stage.names, { ...pruned, says })
      for (const id of pages) {
        const heard = await read(stage, id)
        expect({ status: heard.status, ...JSON.parse(heard.text) }).toEqual({ status, error })
      }
      expect((await read(stage, 'getUpdateByIdV2')).status).toBe(404)
      for (const { dissent } of (await stage.report('/evidence')).cases) expect(dissent).toEqual({})
    }
  })

  test.each(['lie', 'refuse'] as const)('is so although f others %s', async (kind) => {
    await using stage = await start()
    await stage.fault(stage.names.slice(4), pruned)
    await stage.fault(stage.names.slice(0, 4), kind)
    expect((await read(stage, 'getUpdateHistoryV2')).status).toBe(404)
  })
})

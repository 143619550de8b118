import { expect, test } from 'vitest'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { questionsTo } from '../support/every-question.ts'
import { post } from './every-fault.ts'
import { nothingKept } from './questions.ts'

type Row = Readonly<Record<'contract_id' | 'created_in_update_id', string | null>>

const paths = [
  '/api/scan/v1/state/acs',
  '/api/scan/v2/state/acs',
  '/api/scan/v1/holdings/state',
  '/api/scan/v2/holdings/state',
]

function start(superValidators = 4, config: object = {}): Promise<Stage<undefined>> {
  return startLiveStage({ superValidators, config: { ...nothingKept, ...config } })
}

/** Asks for the contracts of the last snapshot that all scans have. */
async function rowsOf(stage: Stage<undefined>, path: string): Promise<readonly Row[]> {
  const record_time = new Date((stage.localnet.world.snapshotTimes.at(-2) ?? 0) / 1000).toISOString()
  const { owner_party_ids } = JSON.parse(questionsTo(stage.localnet).getHoldingsStateAtV2['body'] ?? '')
  const owners = path.includes('holdings') ? { owner_party_ids } : {}
  const body = post(JSON.stringify({ migration_id: 0, record_time, page_size: 100, ...owners }))
  const { status, text } = await stage.get(path, body)
  expect({ path, status, text: status === 200 ? '' : text }).toEqual({ path, status: 200, text: '' })
  const rows = JSON.parse(text).created_events
  expect(rows.length).toBeGreaterThan(0)
  return rows
}

const idsIn = (rows: readonly Row[]) => rows.map(({ created_in_update_id: id }) => id)

async function nobodyIsBlamed(stage: Stage<undefined>): Promise<void> {
  expect((await stage.report('/evidence')).cases).toEqual([])
}

test('where each scan gives contracts update ids of its own, snapshots are served without these ids', async () => {
  await using stage = await start()
  const truth = new Map<string, readonly Row[]>()
  for (const path of paths) truth.set(path, await rowsOf(stage, path))
  await stage.fault(stage.names, 'own-ids')
  for (const path of paths) {
    const rows = truth.get(path)?.map((row) => ({ ...row, created_in_update_id: null }))
    expect(await rowsOf(stage, path)).toEqual(rows)
  }
  await nobodyIsBlamed(stage)
})

test.each([
  ['f+1', 4, 'economical'],
  ['f+1', 4, 'all'],
  ['f+1', 7, 'economical'],
  ['2f+1', 4, 'quorum'],
] as const)(
  'what all but f scans give alike is served, whoever gives an own id: threshold %s of %d, asked %s',
  async (threshold, n, fanout) => {
    await using stage = await start(n, { 'scanClient.threshold': threshold, 'scanClient.fanout': fanout })
    const [path = ''] = paths
    const truth = await rowsOf(stage, path)
    const ids = idsIn(truth)
    expect(ids.filter((id) => id !== null).length).toBeGreaterThan(0)
    for (const name of stage.names) {
      await stage.fault([name], 'own-ids')
      const rows = await rowsOf(stage, path)
      if (threshold === 'f+1') expect(idsIn(rows)).toEqual(ids)
      else expect(idsIn(rows).every((id, at) => id === null || id === ids[at])).toBe(true)
      await stage.fault([name], undefined)
    }
    await nobodyIsBlamed(stage)
  },
)

test('only the ids that scans give differently are left out', async () => {
  await using stage = await start()
  const [path = ''] = paths
  const truth = await rowsOf(stage, path)
  await stage.fault(stage.names, { kind: 'own-ids', share: 0.5 })
  const ids = idsIn(await rowsOf(stage, path))
  expect(ids).toContain(null)
  expect(ids.filter((id) => id !== null).length).toBeGreaterThan(0)
  expect(ids.every((id, at) => id === null || id === idsIn(truth)[at])).toBe(true)
  await nobodyIsBlamed(stage)
})

/** Asks for updates, and expects no evidence against anybody. */
async function answerOf(stage: Stage<undefined>, id: ReadId) {
  const { body, update_id } = questionsTo(stage.localnet)[id]
  const path = { getUpdateHistoryV1: 'v1/updates', getEventHistory: 'v0/events' }[id as string]
  const heard = await stage.get(
    `/api/scan/${path ?? `v2/updates/${update_id}`}`,
    body === undefined ? {} : post(body),
  )
  expect({ id, status: heard.status }).toEqual({ id, status: 200 })
  await nobodyIsBlamed(stage)
  return JSON.parse(heard.text)
}

test('offsets, external hashes and hashes of views that scans have by themselves split no vote', async () => {
  await using stage = await start(4, { 'scanClient.threshold': '2f+1' })
  const page = await answerOf(stage, 'getUpdateHistoryV1')
  const one = await answerOf(stage, 'getUpdateByIdV2')
  const history = await answerOf(stage, 'getEventHistory')
  expect(one.external_transaction_hash).toMatch(/^[0-9a-f]{64}$/)
  expect(history.events[0].verdict.transaction_views.views[0].view_hash).toBe('')
  await stage.fault(stage.names.slice(0, 2), 'own-ids')
  const noHash = { external_transaction_hash: undefined }
  expect((await answerOf(stage, 'getUpdateHistoryV1')).transactions).toEqual(
    page.transactions.map((update: object) => ({ ...update, ...noHash, offset: '000000000000000001' })),
  )
  expect(await answerOf(stage, 'getUpdateByIdV2')).toEqual({ ...one, ...noHash })
  expect((await answerOf(stage, 'getEventHistory')).events).toEqual(
    history.events.map((event: { update: object }) => ({ ...event, update: { ...event.update, ...noHash } })),
  )
})

test('an external hash that all but f scans give is served, whichever scan has none', async () => {
  await using stage = await start()
  const truth = await answerOf(stage, 'getUpdateByIdV2')
  for (const name of stage.names) {
    await stage.fault([name], 'own-ids')
    expect(await answerOf(stage, 'getUpdateByIdV2')).toEqual(truth)
    await stage.fault([name], undefined)
  }
})

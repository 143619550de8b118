import { describe, expect, test } from 'vitest'
import type { Heard } from '../localnet/ask.ts'
import { samples } from '../reads/samples.ts'
import { type Stage, startRemote, startStage } from '../support/daemon.ts'
import { Scans } from '../support/scans.ts'
import { nothingKept } from './questions.ts'

const liars = ['sv-2', 'sv-5', 'sv-7', 'sv-11']

interface Update {
  readonly update_id: string
  readonly record_time: string
}

function page(stage: Stage, size: number, last?: Update, path = '/api/scan/v2/updates'): Promise<Heard> {
  const after =
    last === undefined ? {} : { after: { after_migration_id: 0, after_record_time: last.record_time } }
  return stage.get(path, { method: 'POST', body: JSON.stringify({ ...after, page_size: size }) })
}

function updatesIn({ status, text }: Heard): readonly Update[] {
  expect(status).toBe(200)
  return JSON.parse(text).transactions
}

const start = (kept: Record<string, unknown> = nothingKept) =>
  startStage({ superValidators: 13, config: kept })

describe('updates', () => {
  test('pages follow each other by content, whichever nodes answer, and make up the whole history', async () => {
    await using stage = await start()
    await stage.fault(liars, 'lie')
    const found: Update[] = []
    for (let more = true; more; ) {
      const next = updatesIn(await page(stage, 7, found.at(-1)))
      found.push(...next)
      more = next.length > 0
    }
    expect(found).toEqual(stage.localnet.truth.annals().updates.map(({ body }) => body))
  })

  test('of pages that end where each node has got to, the beginning that a threshold carries is served', async () => {
    await using stage = await start()
    // Only sv-1 has all updates, so a threshold agrees only on a beginning of the page.
    const [behind, far] = [stage.names.slice(1, 5), stage.names.slice(5, 9)]
    await stage.fault(behind, { kind: 'lag', by: 20_500 })
    await stage.fault(far, { kind: 'lag', by: 40_500 })
    await stage.fault(stage.names.slice(9), 'lie')
    const heard = await page(stage, 1000)
    const known = stage.localnet.truth.annals().updates.map(({ body }) => body)
    const found = updatesIn(heard)
    expect(found.length === 20 || found.length === 40).toBe(true)
    expect(found).toEqual(known.slice(0, found.length))
    expect(heard.headers['x-bft-quorum']).toContain('complete=?0')
  })

  test('f super validators that leave out updates withhold none that f+1 others have', async () => {
    await using stage = await start()
    await stage.fault(liars, { kind: 'lag', by: 3_600_000 })
    const found = updatesIn(await page(stage, 1000))
    expect(found).toHaveLength(stage.localnet.truth.annals().updates.length)
  })

  test.each([
    ['the first moment', [[1], [1, 2], [1, 2, 3]], [1, 1], [1]],
    [
      'the moment before the newest',
      [
        [1, 2],
        [1, 2, 2],
        [1, 2, 2, 2],
      ],
      [1, 1, 2],
      [1],
    ],
  ])('a liar that adds an update to %s shortens the page to no dispute', async (_, honest, liar, served) => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const [sample] = samples.getUpdateHistoryV2.reply.transactions
    for (const [index, moments] of [...honest, liar].entries()) {
      const updates = moments.map((moment, at) => ({
        ...sample,
        update_id: `1220${at}${index === 3 && at > 0 ? 'ff' : '00'}`,
        record_time: `2026-03-01T12:00:0${moment}Z`,
      }))
      scans.nodes[index]?.say({ updates })
    }
    await using remote = await startRemote(scans.urls, { 'scanClient.threshold': '2f+1' })
    const heard = await remote.get('/api/scan/v2/updates', { method: 'POST', body: '{"page_size":1000}' })
    expect(updatesIn(heard).map(({ record_time }) => Number(record_time.slice(18, 19)))).toEqual(served)
  })

  test('the form before v2 follows too', async () => {
    await using stage = await start()
    await stage.fault(liars, 'lie')
    const [first] = updatesIn(await page(stage, 1, undefined, '/api/scan/v1/updates'))
    const rest = updatesIn(await page(stage, 1000, first, '/api/scan/v1/updates'))
    const known = stage.localnet.truth.annals().updates.map(({ body }) => ({
      ...body,
      offset: '000000000000000001',
    }))
    expect([first, ...rest]).toEqual(known)
  })

  test('an update that a threshold does not have yet is absent, and one that it has is not', async () => {
    await using stage = await start()
    const [latest] = stage.localnet.truth.annals().updates.slice(-1)
    const path = `/api/scan/v2/updates/${latest?.body['update_id']}`
    await stage.fault(stage.names.slice(0, 10), { kind: 'lag', by: 5_000 })
    expect((await stage.get(path)).status).toBe(404)
    await stage.fault(stage.names.slice(0, 5), undefined)
    expect(JSON.parse((await stage.get(path)).text)).toEqual(latest?.body)
  })
})

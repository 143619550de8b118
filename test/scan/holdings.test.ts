import { expect, test } from 'vitest'
import { historyFrom, updatesOfMigration } from '../../src/core/reads/holding.ts'
import { Holdings } from '../../src/core/scan/holdings.ts'
import type { ScanRequest, ScanResponse } from '../../src/core/scan/node.ts'
import { ManualClock } from '../support/manual-clock.ts'

const minute = 60_000

function beforeIn(migration: number, from?: string) {
  const body = JSON.stringify({ migration_id: migration, ...(from && { at_or_after: from }) })
  return updatesOfMigration.of({ body })
}

function says(status: number, body: object | string): ScanResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { kind: 'response', status, body: Buffer.from(text), release() {} }
}

const range = { synchronizer_id: 'x::12', min: '2026-03-01T12:00:00Z', max: '2026-03-01T13:00:00Z' }
const part = says(200, { record_time_range: [range], complete: false })

function meet() {
  const clock = new ManualClock()
  const asked: string[] = []
  const holdings = new Holdings()
  return {
    clock,
    asked,
    lacks: (holding: ReturnType<typeof beforeIn>) => holdings.lacks(holding, clock.now()),
    learn: (holding: ReturnType<typeof beforeIn>, response: ScanResponse) =>
      holdings.learn(
        holding,
        () => clock.now(),
        async ({ path, body }: Pick<ScanRequest, 'path' | 'body'>) => {
          asked.push(`${path} ${body}`)
          return response
        },
      ),
  }
}

test('a statement with too many elements is ignored', async () => {
  const padded = (count: number) =>
    says(200, { record_time_range: [range], complete: false, more: Array(count).fill(0) })
  const { lacks, learn } = meet()
  await learn(beforeIn(0), padded(4_000))
  await learn(beforeIn(1), padded(5_000))
  expect([0, 1].map((migration) => lacks(beforeIn(migration)))).toEqual([true, false])
})

test('a scan that has pruned the beginning of a page does not have the page, even if it has loaded all history', async () => {
  const { asked, clock } = meet()
  const holdings = new Holdings()
  const after = (time: string) =>
    historyFrom.of({
      body: JSON.stringify({ after: { after_migration_id: 3, after_record_time: time }, page_size: 10 }),
    })
  const said: Record<string, ScanResponse> = {
    '/api/scan/v0/backfilling/status': says(200, { complete: true }),
    '/api/scan/v0/backfilling/migration-info': says(200, { record_time_range: [range], complete: true }),
  }
  await holdings.learn(
    after('2026-03-01T12:30:00Z'),
    () => clock.now(),
    async ({ path }) => {
      asked.push(path)
      return said[path] as ScanResponse
    },
  )
  expect(asked).toEqual(Object.keys(said))
  expect(holdings.lacks(after('2026-03-01T12:30:00Z'), clock.now())).toBe(false)
  expect(holdings.lacks(after('2026-03-01T11:30:00Z'), clock.now())).toBe(true)
  expect(holdings.lacks(historyFrom.of({ body: '{"page_size":10}' }), clock.now())).toBe(false)
})

test('a scan that has loaded a migration and pruned its beginning has the later part', async () => {
  const { learn, lacks } = meet()
  const before = (time: string) =>
    updatesOfMigration.of({ body: JSON.stringify({ migration_id: 0, before: time }) })
  const whole = says(200, { record_time_range: [range], complete: true })
  await learn(before('2026-03-01T12:30:00Z'), whole)
  expect(lacks(before('2026-03-01T12:30:00Z'))).toBe(false)
  expect(lacks(before('2026-03-01T11:30:00Z'))).toBe(true)
  expect(lacks(beforeIn(0, '2026-03-01T11:30:00Z'))).toBe(true)
  expect(lacks(beforeIn(0, '2026-03-01T12:30:00Z'))).toBe(false)
})

test('a migration that it does not know it does not have; a path that it does not know says nothing', async () => {
  const { lacks, learn } = meet()
  await learn(beforeIn(0), says(404, { error: 'No migration info for migration 0' }))
  expect(lacks(beforeIn(0))).toBe(true)
  await learn(beforeIn(1), says(404, { error: 'The requested resource could not be found: http://x' }))
  expect(lacks(beforeIn(1))).toBe(false)
})

test('a scan without /v0/backfilling tells by its first snapshot where its history begins', async () => {
  const { clock, asked, lacks } = meet()
  const holdings = new Holdings()
  const learn = (path: string) =>
    path.startsWith('/api/scan/v0/backfilling/')
      ? says(404, { error: 'The requested resource could not be found.' })
      : says(200, { record_time: '2026-03-01T12:00:00Z' })
  const ask = async ({ path }: Pick<ScanRequest, 'path'>) => {
    asked.push(path)
    return learn(path)
  }
  for (let times = 0; times < 2; times++)
    await holdings.learn(beforeIn(3, '2026-03-01T12:00:00Z'), () => clock.now(), ask)
  expect(asked).toEqual([
    '/api/scan/v0/backfilling/migration-info',
    '/api/scan/v0/state/acs/snapshot-timestamp-after?after=0001-01-01T00:00:00Z&migration_id=3',
  ])
  const isLacked = (from?: string) => holdings.lacks(beforeIn(3, from), clock.now())
  expect(['2026-03-01T12:00:01Z', '2026-03-01T11:00:00Z', undefined].map(isLacked)).toEqual([
    false,
    true,
    false,
  ])
  expect(lacks(beforeIn(3))).toBe(false)
  clock.advance(10 * minute)
  expect(isLacked('2026-03-01T11:00:00Z')).toBe(false)
})

test.each([
  ['nonsense', says(200, '<html>')],
  ['another shape', says(200, { complete: 'no' })],
  ['an error', says(500, { error: 'x' })],
  ['a 404 that is no JSON', says(404, 'not here')],
  ['nothing', { kind: 'fault', fault: 'timeout', detail: '' } as const],
])('%s says nothing, and is asked for again after a minute', async (_what, response) => {
  const { clock, asked, lacks, learn } = meet()
  await learn(beforeIn(0), response)
  expect(lacks(beforeIn(0))).toBe(false)
  await learn(beforeIn(0), part)
  expect(asked).toHaveLength(1)
  clock.advance(minute)
  await learn(beforeIn(0), part)
  expect(lacks(beforeIn(0))).toBe(true)
})

test('many questions about different migrations leave only the latest one in memory', async () => {
  const { asked, lacks, learn } = meet()
  for (let migration = 0; migration < 40; migration++) await learn(beforeIn(migration), part)
  expect(asked).toHaveLength(40)
  expect(lacks(beforeIn(23))).toBe(false)
  expect(lacks(beforeIn(24))).toBe(true)
  expect(lacks(beforeIn(39))).toBe(true)
})

import { afterAll, expect, test } from 'vitest'
import { startStage } from '../support/daemon.ts'

const stage = await startStage()
afterAll(() => stage[Symbol.asyncDispose]())

const scan = '/api/scan'
const post = (path: string, body: unknown) =>
  stage.get(`${scan}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

/** Asks for a time in every kind of place that has one. */
async function statusesOf(time: string): Promise<readonly number[]> {
  const after = { after_migration_id: 0, after_record_time: time }
  const at = { migration_id: 0, record_time: time, page_size: 1 }
  const q = encodeURIComponent(time)
  const answers = await Promise.all([
    stage.get(`${scan}/v0/state/acs/snapshot-timestamp?before=${q}&migration_id=0`),
    stage.get(`${scan}/v0/state/acs/snapshot-timestamp-after?after=${q}&migration_id=0`),
    post('/v0/state/acs', at),
    post('/v0/holdings/summary', { ...at, owner_party_ids: ['a::1220aa'] }),
    post('/v2/updates', { page_size: 1, after }),
    post('/v0/events', { page_size: 1, after }),
    stage.operations(`/evidence?since=${q}`),
  ])
  for (const { status, text } of answers)
    if (status === 400) expect(JSON.parse(text)).toEqual({ error: expect.stringContaining('malformed') })
  return answers.map(({ status }) => status)
}

test.each([
  ...`2026-02-30T00:00:00Z 2025-02-29T00:00:00Z 2026-04-31T00:00:00Z 2026-13-01T00:00:00Z
  2026-00-01T00:00:00Z 2026-01-00T00:00:00Z 2026-01-01T24:00:00Z 2026-01-01T23:60:00Z
  2026-01-01T23:59:60Z 2026-01-01T00:00:00+18:01 2026-01-01T00:00:00-23:00
  2026-01-01T00:00:00+01:60 2026-01-01T00:00:00 -0001-01-01T00:00:00Z 12026-01-01T00:00:00Z
  1767225600`.split(/\s+/),
  '2026-01-01 00:00:00Z',
])('%s is no time, wherever a request has it', async (time) => {
  expect(await statusesOf(time)).toEqual([400, 400, 400, 400, 400, 400, 400])
})

test.each([
  '2026-01-01T00:00:00Z',
  '2026-01-01t00:00:00z',
  '2026-01-01T00:00Z',
  '2026-01-01T00:00:00.123456789+18:00',
  '2026-01-01T00:00:00-0530',
  '2026-01-01T00:00:00+01',
  '2024-02-29T23:59:59Z',
])('%s is a time, as for Splice', async (time) => {
  expect(await statusesOf(time)).not.toContain(400)
})

test.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z'])(
  '%s is a time for which super validators answer',
  async (time) => {
    for (const status of await statusesOf(time)) expect([200, 404]).toContain(status)
  },
)

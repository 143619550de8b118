import { expect, test } from 'vitest'
import { moveBetweenSnapshots } from '../mirror/between-snapshots.ts'
import { startEmbedded } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'

test('the first snapshot of a later migration answers a question about an earlier one, whatever its time', async () => {
  await using running = await startEmbedded({})
  await moveBetweenSnapshots(running.daemon.localnet?.control)
  const path = (migration: number, after: string) =>
    `/api/scan/v0/state/acs/snapshot-timestamp-after?migration_id=${migration}&after=${after}`
  let first = ''
  await eventually(async () => {
    const { status, text } = await running.get(path(0, '2020-01-01T00:00:00Z'))
    first = status === 200 ? JSON.parse(text).record_time : ''
    return first !== ''
  })
  expect((await running.get(path(0, first))).status).toBe(404)
  const earlier = await running.get(path(-1, first))
  expect([earlier.status, JSON.parse(earlier.text)]).toEqual([200, { record_time: first }])
})

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { byName } from '../daemon/questions.ts'
import type { Running } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { neighbours, type Owner, observations } from './neighbours.ts'

const lookups = [
  byName('alice.unverified.cns'),
  '/v0/ans-entries?page_size=10&name_prefix=',
  '/v0/scan-proxy/dso',
]

async function publishedAfterLookups(
  running: Running,
): Promise<{ text: string; subjects: readonly string[] }> {
  await eventually(async () => observations(await running.report('/status')) >= 4)
  for (const path of lookups) expect((await running.get(path)).status).toBe(200)
  await eventually(async () => (await running.metrics()).value('scan_proxy_in_flight_asks') === 0)
  const epoch = Math.floor(running.clock.wall() / 600_000)
  running.clock.advance(600_000)
  const { text } = await running.get(`/observations/${epoch}`)
  const lines: readonly string[] = JSON.parse(text).observations
  return { text, subjects: [...new Set(lines.map((line) => JSON.parse(line).subject))].sort() }
}

const contractSubject = (id: string) => `contract ${createHash('sha256').update(id).digest('base64url')}`

test("a note names the DSO's own contracts and no other, whatever callers look up", async () => {
  await using there = await neighbours('acme', 'bravo')
  await using running = await there.start(there.owners[0] as Owner)
  const { text, subjects } = await publishedAfterLookups(running)
  const dso = JSON.parse((await running.get('/v0/scan-proxy/dso')).text)
  const rules = [dso.amulet_rules, dso.dso_rules].map(({ contract }) => contractSubject(contract.contract_id))
  expect(subjects.filter((subject) => subject.startsWith('contract'))).toEqual(rules.sort())
  expect(subjects.filter((subject) => !/^(?:contract|roster) /.test(subject))).toEqual([])
  expect(text).not.toContain('alice')
})

test('with observes all it also commits to the names that callers looked up, by hashes that anybody can recognise', async () => {
  await using there = await neighbours('acme', 'bravo')
  await using running = await there.start(there.owners[0] as Owner, { 'receipts.observes': 'all' })
  const { text, subjects } = await publishedAfterLookups(running)
  const { entry } = JSON.parse((await running.get(byName('alice.unverified.cns'))).text)
  const id = createHash('sha256').update(entry.contract_id).digest('base64url')
  expect(subjects).toContain(`entry ${id}`)
  expect(subjects.length).toBeGreaterThan(5)
  expect(text).not.toContain('alice')
})

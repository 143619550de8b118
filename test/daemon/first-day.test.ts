import { createServer } from 'node:https'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { type Running, settled, startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { newFolder } from '../support/new-folder.ts'
import { type Scan, Scans } from '../support/scans.ts'

const node = (scans: Scans, index: number) => scans.nodes[index] as Scan

const linesOf = (daemon: Running) => daemon.lines().filter(({ level }) => level !== 'debug')

async function advanceUntilFailed(daemon: Running, count: number): Promise<void> {
  const failed = async () =>
    (await daemon.metrics()).value('scan_proxy_roster_refreshes_total', { outcome: 'failed' })
  while ((await failed()) < count) {
    daemon.clock.advance(500)
    await settled(daemon)
  }
}

describe('Where no DSO is pinned', () => {
  const pinned = (daemon: Pick<Running, 'lines'>) =>
    daemon.lines().filter(({ msg }) => String(msg).startsWith('no DSO is pinned'))

  test('the log says once which one to pin', async () => {
    await using stage = await startStage()
    const urls = stage.localnet.superValidators.map(({ url }) => url)
    const dsoParty = stage.localnet.truth.dsoParty()
    await using daemon = await startRemote(urls)
    expect(pinned(daemon)).toEqual([expect.objectContaining({ level: 'info', dsoPartyId: dsoParty })])
    await using strict = await startRemote(urls, { 'scanClient.dsoPartyId': dsoParty })
    expect(pinned(strict)).toEqual([])
    expect(pinned(stage)).toEqual([])
  })
})

describe('Where no super validator has allow-listed this machine', () => {
  const denied = { status: 403, error: 'RBAC: access denied' }

  test('each attempt is one line of the log, with how many said what', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    scans.say({ refuses: denied })
    await node(scans, 3).stop()
    await using daemon = await startRemote(scans.urls)
    await advanceUntilFailed(daemon, 5)
    const lines = linesOf(daemon).filter(({ msg }) => msg !== 'listening')
    expect(lines).toHaveLength(5)
    for (const line of lines) {
      expect(line).toMatchObject({
        level: 'warn',
        msg: 'there is no roster yet',
        hint: 'run bft-scan-proxy doctor; docs/operating.md#the-first-day',
        why: 'no 2 of 4 seeds name the same super validators',
        said: { refused: 3, connect: 1 },
      })
    }
  })

  test('nobody disagreed, as nobody said anything: not in the evidence, and not in the metrics', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    scans.say({ refuses: denied })
    node(scans, 0).say({ refuses: undefined })
    await using daemon = await startRemote(scans.urls)
    await advanceUntilFailed(daemon, 3)
    expect(await daemon.report('/evidence')).toMatchObject({ bytes: 0, cases: [] })
    const metrics = await daemon.metrics()
    for (const outcome of ['disputed', 'undecided', 'unreachable'])
      expect(metrics.value('scan_proxy_evidence_cases_total', { outcome })).toBe(0)
  })

  test('seeds that contradict one another still are a disagreement', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    for (const [index, scan] of scans.nodes.entries()) scan.say({ dso: `DSO::1220d${index}` })
    await using daemon = await startRemote(scans.urls)
    await advanceUntilFailed(daemon, 1)
    expect((await daemon.report('/evidence')).cases[0]).toMatchObject({ read: 'roster', outcome: 'disputed' })
  })

  test('the status lists each seed with what it said last, and when', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    node(scans, 0).say({ refuses: denied })
    node(scans, 1).say({ refuses: { status: 429, error: 'too many' } })
    await node(scans, 2).stop()
    const tls = createServer(selfSigned({ names: ['elsewhere.example'] })).listen(0, '127.0.0.1')
    onTestFinished(() => void tls.close())
    await eventually(() => tls.listening)
    const { port } = tls.address() as { port: number }
    const seeds = [
      ...scans.urls,
      'http://nowhere.invalid',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}`,
    ]
    await using daemon = await startRemote(seeds)
    await advanceUntilFailed(daemon, 1)
    const at = expect.stringMatching(/^2026-01-01T00:00:0/)
    expect((await daemon.report('/status')).seeds).toEqual([
      { url: seeds[0], outcome: 'refused', detail: 'status 403: {"error":"RBAC: access denied"}', at },
      { url: seeds[1], outcome: 'rate-limited', detail: 'status 429: {"error":"too many"}', at },
      { url: seeds[2], outcome: 'connect', detail: expect.stringContaining('ECONNREFUSED'), at },
      { url: seeds[3], outcome: 'answered', detail: expect.stringContaining('4 super validators'), at },
      { url: seeds[4], outcome: 'dns', detail: expect.stringContaining('nowhere.invalid'), at },
      { url: seeds[5], outcome: 'tls', detail: expect.any(String), at },
      { url: seeds[6], outcome: 'reset', detail: expect.any(String), at },
    ])
  })

  test('the status keeps what the seeds said after a roster is agreed', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using daemon = await startRemote(scans.urls)
    await settled(daemon)
    const { seeds } = await daemon.report('/status')
    expect(seeds.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array(4).fill('answered'))
  })
})

test('The log names a request to try only once it is answered', async () => {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  const example = (daemon: Running) => daemon.lines().find(({ msg }) => msg === 'listening')?.['example']
  await using ready = await startRemote(scans.urls)
  expect(example(ready)).toContain('/v0/dso-party-id')
  scans.say({ refuses: { status: 403, error: 'RBAC: access denied' } })
  await using waiting = await startRemote(scans.urls)
  expect(example(waiting)).toBeUndefined()
})

test('A first start without a roster file is no warning', async () => {
  const folder = newFolder(onTestFinished)
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  const warnings = (daemon: Running) => daemon.lines().filter(({ level }) => level === 'warn')
  await using first = await startRemote(scans.urls, { 'scanClient.rosterFile': join(folder, 'roster.json') })
  expect(warnings(first).filter(({ why }) => String(why).includes('roster.json'))).toEqual([])
})

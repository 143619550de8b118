import { describe, expect, test } from 'vitest'
import { status } from '../../src/cli/status.ts'
import { printed } from '../cli/printed.ts'
import { byName } from '../daemon/questions.ts'
import type { Running } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { neighbours, type Owner, observations, startHearing } from './neighbours.ts'
import { isCosigned, isSigned, provesObservation, readNote, type SignedObservation } from './verified.ts'

const [first, second, third] = ['acme', 'bravo', 'corp'] as const

interface ListedCase {
  readonly rule: string
  readonly outcome: string
  readonly agreed: string | null
  readonly question: Readonly<Record<string, string>>
  readonly statements: readonly { readonly digest: string; readonly who: readonly string[] }[]
}

async function casesOf(running: Running, query = '?read=split-view') {
  const { text } = await running.operations(`/evidence${query}`)
  const { cases, bodies } = JSON.parse(text) as {
    readonly cases: readonly ListedCase[]
    readonly bodies: Readonly<Record<string, string>>
  }
  const signed = cases.map(({ statements }) =>
    statements.map(({ digest }) => JSON.parse(bodies[digest] ?? '') as SignedObservation),
  )
  return { cases, signed }
}

const epochOf = (running: Running) => Math.floor(running.clock.wall() / 600_000)
const documentOf = async (running: Running, epoch: number) =>
  JSON.parse((await running.get(`/observations/${epoch}`)).text) as {
    readonly note: string
    readonly key: { readonly x: string }
    readonly observations: readonly string[]
  }

describe('a super validator that tells two daemons two stories of one contract', () => {
  test('is found by both, and each has a case with both signed notes that a stranger can verify', async () => {
    await using there = await neighbours(first, second)
    const [acme, bravo] = there.owners as [Owner, Owner]
    await using one = await startHearing(there, acme, 'retell')
    await using other = await startHearing(there, bravo)
    await there.endEpoch(one, other)
    for (const [running, peer] of [
      [one, bravo],
      [other, acme],
    ] as const) {
      const { cases, signed } = await casesOf(running)
      expect(cases).toHaveLength(1)
      expect(cases[0]).toMatchObject({
        outcome: 'disputed',
        agreed: null,
        rule: `sv-1 told this daemon and ${peer.name} two stories of one subject, or one of the two daemons lies`,
        question: { peer: peer.name, subject: expect.stringMatching(/^contract [\w-]{43}$/) },
        dissent: {},
      })
      const said = signed[0]?.map(({ observation }) => JSON.parse(observation))
      expect(said?.map(({ sv }) => sv)).toEqual(['sv-1', 'sv-1'])
      expect(said?.[0].subject).toBe(said?.[1].subject)
      expect(said?.[0].digest).not.toBe(said?.[1].digest)
      expect(signed[0]?.every(provesObservation)).toBe(true)
      expect(new Set(signed[0]?.map(({ key }) => key.x))).toEqual(new Set([acme.key.x, bravo.key.x]))
      expect((await running.metrics()).value('scan_proxy_split_view_cases_total', { peer: peer.name })).toBe(
        1,
      )
      expect((await casesOf(running, '?sv=sv-1')).cases).toHaveLength(1)
      expect((await casesOf(running, '?sv=sv-2')).cases).toHaveLength(0)
    }
  })

  test('changes no answer, nobody is blamed on the page, and the case is filed once', async () => {
    await using there = await neighbours(first, second)
    const [acme, bravo] = there.owners as [Owner, Owner]
    await using one = await startHearing(there, acme, 'retell')
    await using other = await startHearing(there, bravo)
    for (let epochs = 0; epochs < 3; epochs++) await there.endEpoch(one, other)
    expect((await casesOf(one)).cases).toHaveLength(1)
    expect((await one.get(byName('alice.unverified.cns'))).status).toBe(200)
    expect((await one.metrics()).value('scan_proxy_evidence_cases_total', { outcome: 'disputed' })).toBe(0)
    expect((await one.operations('/')).text).not.toContain('two stories')
    expect((await one.operations('/readyz')).status).toBe(200)
    const { print, out, err } = printed()
    expect(await status({ operations: one.daemon.operations, json: false }, print)).toBe(0)
    expect([...out, ...err].join('\n')).not.toMatch(/who is right|contradicted/)
  })

  test('is found by three daemons in pairs, and peers cosign the notes that they verified', async () => {
    await using there = await neighbours(first, second, third)
    const [acme, bravo, corp] = there.owners as [Owner, Owner, Owner]
    await using one = await startHearing(there, acme, 'retell')
    await using two = await startHearing(there, bravo)
    await using three = await startHearing(there, corp)
    const epoch = epochOf(one)
    for (let epochs = 0; epochs < 2; epochs++) await there.endEpoch(one, two, three)
    const peers = async (running: Running) =>
      (await casesOf(running)).cases.map(({ question }) => question['peer']).sort()
    expect(await peers(one)).toEqual(['bravo', 'corp'])
    expect(await peers(two)).toEqual(['acme'])
    expect(await peers(three)).toEqual(['acme'])
    const { note, key } = await documentOf(one, epoch)
    expect(key.x).toBe(acme.key.x)
    expect([acme, bravo, corp].map(({ key: { x } }) => isSigned(note, x))).toEqual([true, false, false])
    expect([acme, bravo, corp].map(({ key: { x } }) => isCosigned(note, x))).toEqual([false, true, true])
  })

  test('is found when the stories are of different epochs, even hours apart', async () => {
    await using there = await neighbours(first, second)
    const [acme, bravo] = there.owners as [Owner, Owner]
    await using one = await startHearing(there, acme, 'retell')
    for (let epochs = 0; epochs < 2; epochs++) {
      there.clock.advance(600_000)
      await eventually(async () => (await one.metrics()).value('scan_proxy_in_flight_asks') === 0)
    }
    await using other = await startHearing(there, bravo)
    await there.endEpoch(one, other)
    const { cases, signed } = await casesOf(one)
    expect(cases).toHaveLength(1)
    const [mine, theirs] = (signed[0] ?? []).map(({ note }) =>
      Number(readNote(note).origin.split('/').at(-1)),
    )
    expect([mine, theirs]).toEqual([epochOf(one) - 3, epochOf(one) - 1])
  })
})

test('daemons that get the same replies find no contradiction, and observe each subject at each member', async () => {
  await using there = await neighbours(first, second)
  const [acme, bravo] = there.owners as [Owner, Owner]
  await using one = await startHearing(there, acme)
  await using other = await startHearing(there, bravo)
  await one.get('/v0/scan-proxy/dso')
  const epoch = epochOf(one)
  await there.endEpoch(one, other)
  expect((await casesOf(one)).cases).toEqual([])
  const lines = (await documentOf(one, epoch)).observations.map((line) => JSON.parse(line))
  const kinds = new Set(lines.map(({ subject }) => subject.split(' ')[0]))
  expect(kinds).toEqual(new Set(['contract', 'roster']))
  expect(new Set(lines.map(({ sv }) => sv)).size).toBe(4)
  const { splitView } = await one.report('/status')
  expect(splitView).toMatchObject({
    epoch: epoch + 1,
    lastPublished: epoch,
    peers: [
      { name: 'bravo', lastFetch: { epoch, outcome: 'verified', why: null }, lastVerified: epoch, cases: 0 },
    ],
  })
})

test('honest scans that print, sort and name things otherwise, or are a release ahead, never make a case', async () => {
  await using there = await neighbours(first, second)
  const [acme, bravo] = there.owners as [Owner, Owner]
  const asked = [
    byName('alice.unverified.cns'),
    '/v0/ans-entries?page_size=5&name_prefix=',
    '/v0/scan-proxy/dso',
  ]
  const running: Running[] = []
  await using stack = new AsyncDisposableStack()
  for (const [owner, kind] of [
    [acme, 'reorder'],
    [bravo, 'new-field'],
  ] as const) {
    for (const { name } of there.localnet.superValidators) await there.localnet.setFault(name, { kind })
    const daemon = stack.use(
      await there.start(owner, { 'receipts.observes': 'all', 'scanClient.fanout': 'all' }),
    )
    await eventually(async () => observations(await daemon.report('/status')) >= 4)
    for (const path of asked) expect((await daemon.get(path)).status).toBe(200)
    running.push(daemon)
  }
  const [one, other] = running as [Running, Running]
  const epoch = epochOf(one)
  await there.endEpoch(one, other)
  const subjects = async (daemon: Running) =>
    new Set((await documentOf(daemon, epoch)).observations.map((line) => JSON.parse(line).subject))
  const common = (await subjects(one)).intersection(await subjects(other))
  expect(new Set([...common].map((subject) => subject.split(' ')[0]))).toEqual(
    new Set(['contract', 'entry', 'roster']),
  )
  expect((await casesOf(one)).cases).toEqual([])
  expect((await casesOf(other)).cases).toEqual([])
})

test('a daemon that was away for a round is asked later for its notes of that round', async () => {
  await using there = await neighbours(first, second)
  const [acme, bravo] = there.owners as [Owner, Owner]
  await using one = await startHearing(there, acme, 'retell')
  await using other = await startHearing(there, bravo)
  const { answer } = bravo.door
  const epoch = epochOf(one)
  bravo.door.answer = async () => ({ status: 503, body: '' })
  await there.endEpoch(one, other)
  expect((await one.report('/status')).splitView.peers[0]).toMatchObject({
    lastFetch: { epoch, outcome: 'unreachable', why: 'it answers 503' },
    lastVerified: null,
  })
  expect((await casesOf(one)).cases).toHaveLength(0)
  expect((await casesOf(other)).cases).toHaveLength(1)
  bravo.door.answer = answer
  await there.endEpoch(one, other)
  expect((await casesOf(one)).cases).toHaveLength(1)
  expect(bravo.door.asked.filter((path) => path === `/observations/${epoch}`)).toHaveLength(2)
  expect(bravo.door.asked.filter((path) => path === `/observations/${epoch + 1}`)).toHaveLength(1)
})

test('daemons whose clocks are 5 minutes apart find two stories, the one whose clock is ahead a round later', async () => {
  await using there = await neighbours(first, second)
  const [acme, bravo] = there.owners as [Owner, Owner]
  const ahead = new ManualClock(there.clock.wall() + 300_000)
  await using one = await startHearing(there, acme, 'retell')
  await using other = await there.start(bravo, {}, ahead)
  await eventually(async () => observations(await other.report('/status')) >= 4)
  const advance = async (ms: number) => {
    for (const clock of [there.clock, ahead]) clock.advance(ms)
    for (const running of [one, other])
      await eventually(async () => (await running.metrics()).value('scan_proxy_in_flight_asks') === 0)
  }
  const lastFetch = async (running: Running) =>
    (await running.report('/status')).splitView.peers[0].lastFetch?.outcome

  await advance(300_000)
  await advance(31_000)
  await eventually(async () => (await lastFetch(other)) === 'missing')
  await advance(300_000)
  await eventually(async () => (await casesOf(one)).cases.length === 1)
  await advance(300_000)
  await eventually(async () => (await casesOf(other)).cases.length === 1)
})

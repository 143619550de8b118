import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AdvancingClock } from '../../src/base/lib/advancing-clock.ts'
import { systemClock } from '../../src/base/lib/clock.ts'
import type { Fault } from '../../src/localnet/faults.ts'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { releases, usualRelease } from '../../src/localnet/releases.ts'
import { gridAt, gridMs } from '../../src/mirror/snapshot-grid.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { Scans } from '../support/scans.ts'
import { examineScans, superValidator, wordsOf } from './stage.ts'

/** The clock begins an hour after the time of a snapshot, because by then all scans have the snapshot. */
const clock = clockAfterSnapshot(3_600_000)
let localnet: WorldLocalnet
beforeAll(async () => {
  localnet = (await startLocalnet({ superValidators: 4 }, { clock })) as WorldLocalnet
})
afterEach(async () => {
  for (const { name } of localnet.superValidators) await localnet.setFault(name, undefined)
})
afterAll(() => localnet[Symbol.asyncDispose]())

const well = {
  dns: '-',
  tcp: 'ok',
  tls: '-',
  version: releases[usualRelease].version,
  dso: 'ok',
  synchronizer: 'ok',
  head: 'ok',
  snapshot: 'ok',
  history: 'ok',
}
const silent = { dso: '-', synchronizer: '-', head: '-', snapshot: '-', history: '-' }

function clockAfterSnapshot(ms: number): AdvancingClock {
  const made = new AdvancingClock(systemClock)
  made.advance(gridAt(made.wall()) + gridMs + ms - made.wall())
  return made
}

async function examineWith(fault: Fault | undefined, scanClient: object = {}) {
  if (fault !== undefined) await localnet.setFault('sv-2', fault)
  const seedUrls = localnet.superValidators.map(({ url }) => url)
  const report = await examineScans({ seedUrls, ...scanClient }, { clock })
  return { report, one: superValidator(report, 'sv-2') }
}

async function withOldTime(old: OldTime) {
  const [first, ...others] = localnet.superValidators.map(({ url }) => url)
  const relaying = createServer((request, response) => void relay(first as string, old, request, response))
  using late = await onLoopback(relaying)
  const url = `http://127.0.0.1:${late.port}`
  const report = await examineScans({ seedUrls: [url, ...others], discover: false }, { clock })
  return { report, one: superValidator(report, new URL(url).host) }
}

describe('At a super validator', () => {
  test('that is well, every step passes', async () => {
    const { report } = await examineWith(undefined)
    for (const each of report.superValidators) expect(wordsOf(each)).toEqual(well)
    expect(report.verdict).toEqual({
      kind: 'well',
      sentences: [
        '4 of 4 seeds name these super validators; 2 must.',
        '4 of 4 scans can be used from here; up to 1 that lie are tolerated.',
        'f+1 holds: 2 scans needed, 4 can be used.',
        '2f+1 holds: 3 scans needed, 4 can be used.',
        'All is well. Whether a super validator lies is not examined here: its votes show it.',
      ],
    })
    expect(report).toMatchObject({ letters: [], tolerated: 1, roster: { dso: localnet.world.dsoParty } })
  })

  test('that answers 403, its text is shown, and there is a text to send', async () => {
    const { report, one } = await examineWith({ kind: 'forbidden' }, { egressAddresses: ['203.0.113.7'] })
    expect(wordsOf(one)).toMatchObject({ tcp: 'ok', version: '403', ...silent })
    expect(one.steps.version.detail).toBe(
      'It answers 403 to /version: "Authorization Failed for anonymous". Most likely this machine\'s address is not on its allow-list.',
    )
    expect(report.letters.map(({ superValidators }) => superValidators)).toEqual([['sv-2']])
    expect(report.letters[0]?.text).toContain('requests are answered with status 403')
    expect(report.letters[0]?.text).toContain('Your side says: "Authorization Failed for anonymous"')
    expect(report.verdict.kind).toBe('some-missing')
  })

  test('that answers 429, its text is shown, and no text asks to change an allow-list', async () => {
    const { report, one } = await examineWith({ kind: 'rate-limit' })
    expect(wordsOf(one)).toMatchObject({ version: '429', ...silent })
    expect(one.steps.version.detail).toBe(
      'It answers 429 to /version: "Too Many Requests: Server is busy, please try again later.". It limits how often this machine\'s address may ask.',
    )
    expect(report.letters).toEqual([])
  })

  test('that is down behind its ingress, the HTML page is shown without its tags', async () => {
    const { one } = await examineWith({ kind: 'bad-gateway' })
    expect(wordsOf(one)).toMatchObject({ version: '502', ...silent })
    expect(one.steps.version.detail).toMatch(/^It answers 502 to \/version: "502 Bad Gateway[^<>]*"\. /)
  })

  test('that never answers, the time-out is shown', async () => {
    const { one } = await examineWith({ kind: 'hang' }, { requestTimeout: '1s' })
    expect(wordsOf(one)).toMatchObject({ tcp: 'ok', version: 'timeout', ...silent })
  })

  test('whose /version alone hangs, the other steps are examined all the same', async () => {
    const { one, report } = await examineWith({ kind: 'hang', only: ['version'] }, { requestTimeout: '1s' })
    expect(wordsOf(one)).toEqual({ ...well, version: 'timeout' })
    expect(one.usable).toBe(true)
    expect(report.verdict.sentences).toContain('These can, but something is wrong: sv-2 (version).')
  })

  test('that sends a flood, no more than the limit is read', async () => {
    const { one } = await examineWith({ kind: 'huge' })
    expect(wordsOf(one)).toMatchObject({ version: 'long' })
  })

  test('whose last update is seven minutes older than those of the others, the head says so', async () => {
    const { report, one } = await withOldTime({ path: '/migration-info', member: 'max', lateMs: 420_000 })
    expect(wordsOf(one)).toEqual({ ...well, head: '-7min' })
    expect(one.behindMs).toBe(420_000)
    expect(one.steps.head.detail).toMatch(/^Its last update is of .*Z, 7 min behind the others\.$/)
    const heads = report.superValidators.map(({ steps }) => steps.head.outcome)
    expect(heads.toSorted()).toEqual(['failed', 'ok', 'ok', 'ok'])
  })

  test('that has no update of this minute, 30 s are no failure', async () => {
    const { one } = await withOldTime({ path: '/migration-info', member: 'max', lateMs: 30_000 })
    expect(wordsOf(one)).toEqual(well)
    expect(one.steps.head.detail).toMatch(/, 30 s behind the others\.$/)
  })

  test('that lacks the latest snapshot, both times are shown', async () => {
    const old = { path: '/snapshot-timestamp', member: 'record_time', lateMs: 3 * 3_600_000 }
    const { one } = await withOldTime(old)
    expect(wordsOf(one)).toEqual({ ...well, snapshot: 'old' })
    expect(one.steps.snapshot.detail).toMatch(/^Its latest snapshot is of .*Z; the others have one of .*Z\.$/)
  })

  test('that still makes a snapshot which others have had for seconds, every step passes', async () => {
    const early = clockAfterSnapshot(40_000)
    await using young = await startLocalnet({ superValidators: 4 }, { clock: early })
    const seedUrls = young.superValidators.map(({ url }) => url)
    const report = await examineScans({ seedUrls }, { clock: early })
    const snapshots = report.superValidators.map(({ steps }) => steps.snapshot.detail)
    expect(new Set(snapshots).size).toBe(2)
    for (const each of report.superValidators) expect(wordsOf(each)).toEqual(well)
  })

  test('that has joined late, its history is loading and its latest snapshot is missing', async () => {
    const { one } = await examineWith({ kind: 'late', by: 0 })
    expect(wordsOf(one)).toMatchObject({ dso: 'ok', snapshot: 'none', history: 'loading' })
  })

  test('that has pruned its history, its beginning is shown', async () => {
    const { one } = await examineWith({ kind: 'pruned', keeps: 30_000 })
    expect(wordsOf(one)).toMatchObject({ dso: 'ok', history: 'pruned' })
    expect(one.steps.history.detail).toMatch(/^Its history begins at .*Z; that of the others at .*Z\.$/)
  })

  test('of an old release, it is no failure that it does not say how far it is', async () => {
    const { one } = await examineWith({
      kind: 'status',
      code: 404,
      only: ['migration', 'backfilling-status'],
    })
    expect(wordsOf(one)).toEqual({ ...well, head: '?', snapshot: '?', history: '?' })
    expect(one.steps.history).toMatchObject({
      outcome: 'unknown',
      detail: 'It does not say whether its history is complete.',
    })
  })

  test('that answers as something else than a scan, the wrong shape is reported', async () => {
    const { one } = await examineWith({ kind: 'status', code: 200, only: ['version', 'dso-party-id'] })
    expect(wordsOf(one)).toMatchObject({ version: 'shape', dso: '-', synchronizer: 'ok' })
  })
})

describe('Against the majority,', () => {
  test('the one of another network is the odd one, by its DSO and by its synchronizer', async () => {
    await using scans = await Scans.listen('sv-1', 'sv-2', 'sv-3', 'sv-4')
    scans.nodes[1]?.say({ dso: 'DSO::1220ee' })
    scans.nodes[2]?.say({ synchronizer: 'global-domain::1220bb' })
    const report = await examineScans({ seedUrls: scans.urls })
    expect(wordsOf(superValidator(report, 'sv-2'))).toMatchObject({ dso: 'other', synchronizer: 'ok' })
    expect(wordsOf(superValidator(report, 'sv-3'))).toMatchObject({ dso: 'ok', synchronizer: 'other' })
    expect(superValidator(report, 'sv-2').steps.dso.detail).toBe(
      'It names the DSO DSO::1220ee; 3 of 4 name DSO::1220d5. It belongs to another network, or it lies.',
    )
    expect(report.superValidators.map(({ usable }) => usable)).toEqual([true, false, false, true])
    expect(report.verdict.sentences.slice(1, 3)).toEqual([
      '2 of 4 scans can be used from here; up to 1 that lie are tolerated.',
      'These cannot: sv-2 and sv-3.',
    ])
  })

  test('the configured DSO counts, whatever the majority says', async () => {
    await using scans = await Scans.listen('sv-1', 'sv-2', 'sv-3', 'sv-4')
    const dsoPartyId = `DSO::1220${'ab'.repeat(32)}`
    const report = await examineScans({ seedUrls: scans.urls, dsoPartyId })
    expect(report.superValidators.map(({ steps }) => steps.dso.word)).toEqual(Array(4).fill('other'))
    expect(report.roster.source).toBe('seeds')
    expect(report.verdict.kind).toBe('not-enough')
    expect(report.verdict.sentences.join(' ')).toContain(
      'they are of another network than scanClient.dsoPartyId, the pin',
    )
  })
})

describe('Who the super validators are', () => {
  test('is learned from f+1 of the seeds, and members that are no seeds are examined too', async () => {
    const seedUrls = localnet.superValidators.slice(0, 2).map(({ url }) => url)
    const { report, one } = await examineWith(undefined, { seedUrls })
    expect(report.superValidators.map(({ names }) => names[0])).toEqual(['sv-1', 'sv-2', 'sv-3', 'sv-4'])
    expect(report.superValidators.every(({ usable }) => usable)).toBe(true)
    expect(report.roster).toMatchObject({ source: 'agreed', toldBy: 2, needed: 1, seeds: 2 })
    expect(wordsOf(one)).toEqual(well)
  })

  test('are found from any seed that answers, and the verdict says that a daemon would have no roster', async () => {
    for (const name of ['sv-1', 'sv-3', 'sv-4']) await localnet.setFault(name, { kind: 'forbidden' })
    const { report } = await examineWith(undefined)
    expect(report.roster).toMatchObject({ source: 'told', toldBy: 1, needed: 2, seeds: 4 })
    expect(report.superValidators.map(({ names }) => names[0])).toEqual(['sv-1', 'sv-2', 'sv-3', 'sv-4'])
    expect(report.letters).toHaveLength(3)
    expect(report.roster, 'nobody confirms it').toMatchObject({ dso: '', synchronizer: '' })
    expect(report.letters.map(({ text }) => text).join()).not.toMatch(/DSO::|of the network of/)
    const [, answering] = report.superValidators
    expect(answering?.steps.dso).toMatchObject({
      outcome: 'unknown',
      detail: expect.stringMatching(/^Not confirmed: 1 of the 2 scans that must say it name the DSO DSO::/),
    })
    expect(answering?.steps.synchronizer.outcome).toBe('unknown')
    expect(report.superValidators.map(({ usable }) => usable)).toEqual([false, false, false, false])
    expect(report.verdict.kind).toBe('not-enough')
    expect(report.verdict.sentences[0]).toBe(
      'Only 1 of 4 seeds names these super validators, and 2 must: a daemon that starts here without a roster file has no roster and answers 503.',
    )
    expect(report.verdict.sentences).toContain('These cannot: sv-1, sv-3 and sv-4.')
    expect(report.verdict.sentences).toContain(
      'These answer, but do not count, because too few others confirm which network they belong to: sv-2.',
    )
  })

  test('is not known where no seed answers: then the seeds are examined', async () => {
    for (const { name } of localnet.superValidators) await localnet.setFault(name, { kind: 'refuse' })
    const { seedUrls } = { seedUrls: localnet.superValidators.map(({ url }) => url) }
    const report = await examineScans({ seedUrls })
    expect(report.roster.source).toBe('seeds')
    expect(report.superValidators.map(({ names }) => names[0])).toEqual(
      seedUrls.map((url) => new URL(url).host).sort(),
    )
    expect(report.superValidators.map((one) => wordsOf(one).tcp)).toEqual(Array(4).fill('refused'))
  })

  test('includes super validators that publish no URL that can be asked', async () => {
    await using scans = await Scans.listen('sv-1', 'sv-2', 'sv-3')
    scans.say({ scans: [...scans.published, { svName: 'sv-4', publicUrl: 'ftp://scan.example.org' }] })
    const report = await examineScans({ seedUrls: scans.urls })
    expect(superValidator(report, 'sv-4')).toMatchObject({
      url: null,
      usable: false,
      steps: { dns: { word: 'no URL' } },
    })
  })
})

describe('The thresholds', () => {
  test('count operators too, by the configured rule and by those of single reads', async () => {
    const operators = { one: ['sv-1', 'sv-2'], two: ['sv-3', 'sv-4'] }
    await localnet.setFault('sv-3', { kind: 'refuse' })
    await localnet.setFault('sv-4', { kind: 'refuse' })
    const { report } = await examineWith(undefined, {
      operators,
      threshold: 3,
      thresholds: { getDsoInfo: 4 },
    })
    expect(report.thresholds).toEqual([
      { name: 'f+1', needed: 2, reachable: 2, holds: true, operators: { needed: 1, reachable: 1 } },
      { name: '2f+1', needed: 3, reachable: 2, holds: false, operators: { needed: 2, reachable: 1 } },
      {
        name: 'scanClient.threshold',
        needed: 3,
        reachable: 2,
        holds: false,
        operators: { needed: 1, reachable: 1 },
      },
      {
        name: 'scanClient.thresholds.getDsoInfo',
        needed: 4,
        reachable: 2,
        holds: false,
        operators: { needed: 1, reachable: 1 },
      },
    ])
    expect(report.verdict.sentences).toContain(
      '2f+1 DOES NOT HOLD: 3 scans needed, 2 can be used, and 2 operators needed, 1 can be used.',
    )
    expect(report.superValidators.map(({ operator }) => operator)).toEqual(['one', 'one', 'two', 'two'])
  })
})

interface OldTime {
  readonly path: string
  readonly member: string
  readonly lateMs: number
}

/** Relays the answers of another scan, with an older time in one member. */
async function relay(
  url: string,
  old: OldTime,
  { method = '', url: target = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { req: request } = response
  const body = await buffer(request)
  const type = { 'content-type': headers['content-type'] ?? 'application/json' }
  const heard = await fetch(url + target, { method, headers: type, ...(method === 'POST' && { body }) })
  const text = await heard.text()
  response.writeHead(heard.status, { 'content-type': 'application/json' })
  response.end(target.includes(old.path) ? withOld(text, old) : text)
}

function withOld(text: string, { member, lateMs }: OldTime): string {
  return JSON.stringify(JSON.parse(text), (key, value) =>
    key === member ? new Date(Date.parse(value) - lateMs).toISOString() : value,
  )
}

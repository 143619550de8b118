import { describe, expect, test } from 'vitest'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { type ReleaseName, releaseNames, releases as releaseTable } from '../../src/localnet/releases.ts'
import type { MirrorStatus } from '../../src/mirror/mirror-status.ts'
import { type Mount, mounts } from '../../src/server/http/routes/mounts.ts'
import { examineScans, wordsOf } from '../doctor/stage.ts'
import { moveBetweenSnapshots } from '../mirror/between-snapshots.ts'
import { type Running, type Stage, startEmbedded, startLiveStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { questionsTo } from '../support/every-question.ts'
import { askDaemon, askNode, closeConnections, common } from './every-fault.ts'
import { byName, nothingKept } from './questions.ts'

/** The release of each scan, in the order of the super validators. */
export type Mixture = readonly ReleaseName[]

/** Returns every proportion of the releases among so many scans. */
export function everyMixture(count: number, of: readonly ReleaseName[] = releaseNames): readonly Mixture[] {
  const [first, ...others] = of
  if (first === undefined) return count === 0 ? [[]] : []
  return Array.from({ length: count + 1 }, (_, at) => count - at).flatMap((some) =>
    everyMixture(count - some, others).map((rest) => [...Array<ReleaseName>(some).fill(first), ...rest]),
  )
}

function titleOf(mixture: Mixture): string {
  return releaseNames
    .map((release) => [mixture.filter((each) => each === release).length, release] as const)
    .filter(([count]) => count > 0)
    .map(([count, release]) => `${count} of ${release}`)
    .join(', ')
}

export interface Liars {
  /** How many of the scans lie, from the last one on. At most f. */
  readonly liars: number
}

/** Sentences that are wrong where the release of a scan is the cause. */
const misleading = /some minutes|instances can be used|could not say yet|disagree|contradict/i

const scanMounts = mounts.filter(
  ({ surface, template }) => surface === 'scan' && /^\/(?:api|registry)\//.test(template),
)

function settingsOf(mixture: Mixture) {
  return { 'localnet.superValidators': mixture.length, 'localnet.releases': mixture }
}

/** Starts a daemon over made-up scans of these releases. The last scans lie. */
export async function startMixture(
  mixture: Mixture,
  { liars }: Liars = { liars: 0 },
  config: Readonly<Record<string, unknown>> = {},
): Promise<Stage<undefined>> {
  const stage = await startLiveStage({
    superValidators: mixture.length,
    config: { ...settingsOf(mixture), ...nothingKept, 'scanClient.requestTimeout': '5s', ...config },
  })
  await stage.fault(stage.names.slice(mixture.length - liars), liars === 0 ? undefined : 'lie')
  return stage
}

export async function endMixture(stage: Stage<undefined>): Promise<void> {
  closeConnections()
  await stage[Symbol.asyncDispose]()
}

function pathsOf(read: Read): readonly string[] {
  const { base = '/api/scan', scanPath, forms } = read
  return (forms?.paths ?? [scanPath]).map((path) => `${base}${path}`)
}

function knows(release: ReleaseName, read: Read): boolean {
  const lacks: readonly string[] = releaseTable[release].lacks
  return pathsOf(read).some((path) => !lacks.includes(path.replaceAll(/\{\w+\}/g, '{}')))
}

interface Played {
  readonly stage: Stage<undefined>
  readonly mixture: Mixture
  /** The scans that lie, or that answer nothing. */
  readonly absent?: readonly string[]
}

/**
 * Asks the daemon for every read. What enough honest scans know must be answered as they say. Otherwise the error must
 * name the cause.
 */
export async function everyReadIsAnswered({ stage, mixture, absent = [] }: Played): Promise<void> {
  const questions = questionsTo(stage.localnet)
  for (const mount of scanMounts) {
    const params = questions[mount.read.id as ReadId]
    const knowing = stage.names.filter((name, at) => {
      const release = mixture[at]
      return release !== undefined && knows(release, mount.read) && !absent.includes(name)
    })
    await oneReadIsAnswered(stage, mount, { params, knowing })
  }
}

async function oneReadIsAnswered(
  stage: Stage<undefined>,
  mount: Mount,
  {
    params,
    knowing: [first = '', ...others],
  }: { readonly params: Params; readonly knowing: readonly string[] },
): Promise<void> {
  const { id } = mount.read
  const tolerated = Math.floor((stage.names.length - 1) / 3)
  const { status, text } = await askDaemon(stage, mount, params)
  // With a time of a liar that is ahead, f+1 scans have reached the time of one honest scan.
  const mayBeProven = id === 'getLatestEventRecordTime' && first !== '' && status === 200
  if (others.length < tolerated && !mayBeProven) {
    expect({ id, status }).toEqual({ id, status: expect.toSatisfy((code) => [404, 502].includes(code)) })
    expect(text).not.toMatch(misleading)
    expect(text).toMatch(/know this path|release has/)
    return
  }
  const truth = await askNode(stage, first, mount.read, params)
  const served = truth.value === undefined ? { error: 'No migration is scheduled.' } : truth.value
  const value = common(JSON.parse(text))
  expect({ id, status, value }).toEqual({ id, status: truth.status, value: common(served) })
}

/** No honest scan may stand in the evidence as one that said something else, nor in the metrics, nor in the log. */
export async function nobodyHonestIsBlamed({ stage, liars }: Liars & Pick<Played, 'stage'>): Promise<void> {
  const honest = stage.names.slice(0, stage.names.length - liars)
  const { cases } = await stage.report('/evidence')
  for (const { read, agreed, statements, dissent } of cases) {
    const contradicts = ({ digest }: { digest: string }) => agreed !== null && digest !== agreed
    const others: readonly string[] = statements
      .filter(contradicts)
      .flatMap(({ who }: { who: readonly string[] }) => who)
    const blamed = [...others, ...Object.keys(dissent)].filter((name) => honest.includes(name))
    expect({ read, blamed }).toEqual({ read, blamed: [] })
    if (liars === 0) expect(statements.length, read).toBeLessThan(2)
  }
  const metrics = await stage.metrics()
  for (const sv of honest) expect(metrics.value('scan_proxy_dissents_pending', { sv })).toBe(0)
  for (const line of stage.lines()) expect(JSON.stringify(line)).not.toMatch(misleading)
}

export async function everySuperValidatorIsDiscovered({ stage }: Pick<Played, 'stage'>): Promise<void> {
  const { roster } = await stage.report('/status')
  const found = roster.superValidators.flatMap(({ names }: { names: readonly string[] }) => names)
  expect(found.toSorted()).toEqual(stage.names.toSorted())
  expect(roster.superValidators.filter(({ reachable }: { reachable: boolean }) => !reachable)).toEqual([])
}

async function theDoctorIsContent({ stage, mixture }: Pick<Played, 'stage' | 'mixture'>): Promise<void> {
  const seedUrls = stage.localnet.superValidators.map(({ url }) => url)
  const report = await examineScans({ seedUrls })
  for (const one of report.superValidators) {
    const release = mixture[stage.names.indexOf(one.names[0] ?? '')] ?? '0.9'
    const words = wordsOf(one)
    expect({ names: one.names, ...words, head: 'ok' }).toEqual({
      names: one.names,
      dns: '-',
      tcp: 'ok',
      tls: '-',
      version: releaseTable[release].version,
      dso: 'ok',
      synchronizer: 'ok',
      head: 'ok',
      snapshot: 'ok',
      history: 'ok',
    })
  }
  expect(report.verdict.kind).toBe('well')
  expect(JSON.stringify(report)).not.toMatch(misleading)
}

/** Declares the tests of one mixture: none of its scans lies, or f of them do. */
export function mixtureIsServed(mixture: Mixture): void {
  const tolerated = Math.floor((mixture.length - 1) / 3)
  describe(`of scans ${titleOf(mixture)}`, () => {
    test.each([0, tolerated])(
      '%d lie: every read is answered, and nobody honest is blamed',
      async (liars) => {
        const stage = await startMixture(mixture, { liars })
        const absent = stage.names.slice(mixture.length - liars)
        try {
          await everyReadIsAnswered({ stage, mixture, absent })
          await everySuperValidatorIsDiscovered({ stage })
          if (liars === 0) await theDoctorIsContent({ stage, mixture })
          await nobodyHonestIsBlamed({ stage, liars })
        } finally {
          await endMixture(stage)
        }
      },
      60_000,
    )

    test.each(['bindings', 'stream'] as const)(
      `the mirror follows at level %s while ${tolerated} lie`,
      async (level) => {
        await using running = await startMirroredMixture(mixture, level, { liars: tolerated })
        // The made-up network is younger than the last snapshot, so the first look for one finds none, and says so.
        await eventually(async () => running.lines().some(({ why }) => /some minutes/.test(`${why}`)))
        await theMirrorFollows(running, level)
      },
      60_000,
    )
  })
}

/** Starts a daemon that mirrors the names of a ledger, which scans of these releases tell of. The last scans lie. */
async function startMirroredMixture(
  mixture: Mixture,
  level: 'bindings' | 'stream',
  { liars }: Liars,
): Promise<Running<undefined>> {
  const running = await startEmbedded({
    ...settingsOf(mixture),
    'mirror.level': level,
    'mirror.pollInterval': '100ms',
  })
  const { localnet, names } = running.daemon
  for (const { name } of localnet?.superValidators.slice(mixture.length - liars) ?? [])
    await localnet?.setFault(name, { kind: 'lie' })
  await names?.register('alice', { name: 'alice.unverified.cns', url: '', description: '' })
  return running
}

/**
 * Expects that the mirror reaches its level and answers as super validators do live, and that no sentence misleads
 * meanwhile.
 */
export async function theMirrorFollows(running: Running<undefined>, level: string): Promise<void> {
  const mirror = async (): Promise<MirrorStatus> => (await running.report('/status')).mirror
  const before = running.lines().length
  await moveBetweenSnapshots(running.daemon.localnet?.control)
  await eventually(async () => (await mirror()).level === level)
  const path = byName('alice.unverified.cns')
  let mirrored = await running.get(path)
  await eventually(async () => {
    mirrored = await running.get(path)
    return mirrored.headers['cache-status']?.includes('detail=mirror') === true
  })
  const live = await running.get(path, { headers: { 'x-bft-live': '?1' } })
  expect([mirrored.status, mirrored.text]).toEqual([200, live.text])
  expect((await mirror()).degradedBecause).toBeNull()
  for (const line of running.lines().slice(before)) expect(JSON.stringify(line)).not.toMatch(misleading)
}

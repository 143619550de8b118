import { describe, expect, test } from 'vitest'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import { type ReleaseName, releaseNames } from '../../src/localnet/releases.ts'
import { advanceBy, mirrorOf, startEmbedded, startRemote } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { moveBetweenSnapshots } from './between-snapshots.ts'

const byName = (name: string) => `/api/scan/v0/ans-entries/by-name/${name}`

/** Every way in which four scans can have the releases, as numbers of scans. */
const proportions = Array.from({ length: 5 }, (_, first) =>
  Array.from({ length: 5 - first }, (_, second) => [first, second, 4 - first - second] as const),
).flat()

function releasesOf(counts: readonly number[]): readonly ReleaseName[] {
  return counts.flatMap((count, at) => Array<ReleaseName>(count).fill(releaseNames[at] as ReleaseName))
}

test('the mirror follows the ledger over every mixture of releases, with the bytes of a live read', async () => {
  await using running = await startEmbedded({
    'mirror.level': 'stream',
    'mirror.pollInterval': '100ms',
    'scanClient.threshold': '2f+1',
  })
  const { localnet, names } = running.daemon
  const label = (at: number) => `name-${at}.unverified.cns`
  let { generation } = await mirrorOf(running)
  for (const [at, counts] of proportions.entries()) {
    for (const [scan, release] of releasesOf(counts).entries())
      localnet?.setRelease(localnet.superValidators[scan]?.name ?? '', release)
    await names?.register('alice', { name: label(at), url: '', description: '' })
    await moveBetweenSnapshots(localnet?.control)
    const before = generation
    await eventually(async () => {
      const mirror = await mirrorOf(running)
      generation = mirror.generation
      return generation > before && mirror.level === 'stream'
    })
    const mirrored = await running.get(byName(label(at)))
    expect(mirrored.headers['cache-status'], `${counts}`).toContain('detail=mirror')
    const live = await running.get(byName(label(at)), { headers: { 'x-bft-live': '?1' } })
    expect([mirrored.status, mirrored.text]).toEqual([200, live.text])
  }
  expect(running.lines().filter(({ msg }) => /took no set|serves nothing/.test(String(msg)))).toEqual([])
})

describe('A version of the name-service package', () => {
  async function mirroring(amuletNameService: string, packages: readonly string[] = []) {
    const clock = new ManualClock()
    const opened = new AsyncDisposableStack()
    const localnet = opened.use(await startLocalnet({ superValidators: 4, amuletNameService }, { clock }))
    const seeds = localnet.superValidators.map(({ url }) => url)
    const config = { 'mirror.level': 'bindings', 'mirror.packages': packages }
    const running = opened.use(await startRemote(seeds, config, { clock }))
    return { running, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  }

  test('that the operator audited is mirrored', async () => {
    await using stage = await mirroring('0.1.25', ['0.1.25'])
    const { running } = stage
    for (let minutes = 0; (await mirrorOf(running)).level === 'off'; minutes++) {
      expect(minutes).toBeLessThan(10)
      await advanceBy(running, 60)
    }
    expect((await running.metrics()).value('scan_proxy_mirror_package_known')).toBe(1)
  })

  test('that nobody audited is not mirrored: status, one line of log and a metric say so', async () => {
    await using stage = await mirroring('0.1.25', ['0.1.26'])
    const { running } = stage
    await advanceBy(running, 1)
    await eventually(async () => (await mirrorOf(running)).degradedBecause?.includes('0.1.25') === true)
    const why =
      'The agreed AmuletRules use version 0.1.25 of the name-service package, which this release does not know (newest: 0.1.24). Take a newer release, or audit the version as docs/mirror.md says and add it to mirror.packages.'
    expect(await mirrorOf(running)).toMatchObject({ level: 'off', degradedBecause: why })
    await advanceBy(running, 300)
    expect((await running.metrics()).value('scan_proxy_mirror_package_known')).toBe(0)
    const told = running.lines().filter(({ why: said, level }) => said === why && level !== 'debug')
    expect(told).toMatchObject([{ level: 'warn', msg: 'the mirror serves nothing; all names are read live' }])
  })
})

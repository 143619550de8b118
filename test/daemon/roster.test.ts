import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseDictionary, parseList } from '../http/structured-fields.ts'
import { type Running, settled, startRemote } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { newFolder } from '../support/new-folder.ts'
import { type Scan, Scans } from '../support/scans.ts'
import { byName } from './questions.ts'

const brisk = { 'scanClient.refreshInterval': '10s', 'scanClient.probeInterval': '1h' }

async function pass(remote: Running, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    remote.clock.advance(500)
    await settled(remote)
  }
}

async function untilRefreshed(remote: Running, outcome: string): Promise<void> {
  const count = async () => (await remote.metrics()).value('scan_proxy_roster_refreshes_total', { outcome })
  const before = await count()
  while ((await count()) === before) await pass(remote, 500)
}

async function rosterOf(remote: Running): Promise<readonly string[] | null> {
  const { roster } = await remote.report('/status')
  return roster === null
    ? null
    : roster.superValidators.flatMap(({ names }: { names: readonly string[] }) => names)
}

async function asked(remote: Running, name = 'somebody') {
  const { status, text, headers } = await remote.get(byName(name))
  const { entry, error } = JSON.parse(text)
  if (status !== 200) return { status, error, retryAfter: headers['retry-after'] }
  const quorum = parseDictionary(String(headers['x-bft-quorum']))
  const agreed = parseList(String(headers['x-bft-agreed'])).map(({ value }) => value)
  const numbers = Object.fromEntries(Object.entries(quorum).map(([key, { value }]) => [key, value]))
  return { status, description: entry.description, ...numbers, names: agreed }
}

const node = (scans: Scans, index: number) => scans.nodes[index] as Scan

describe('A super validator that publishes the origin of another, with a false path,', () => {
  const published = (scans: Scans, ofA: string) =>
    scans.published.map(({ svName, publicUrl }) => ({
      svName,
      publicUrl: svName === 'a' ? ofA : svName === 'b' ? `${publicUrl}/sv2` : publicUrl,
    }))
  const listen = async () => {
    const scans = await Scans.listen('a', 'b', 'c', 'd')
    node(scans, 1).say({ prefix: '/sv2' })
    return scans
  }
  // A seed has no path, so the daemon learns of `b` from the others.
  const seedsOf = ({ urls: [a, , c, d] }: Scans) => [a, c, d] as readonly string[]
  const strict = { ...brisk, 'scanClient.threshold': '2f+1' }

  test.each(['/0', '', '/sv2/x'])('does not silence the other from the start (%j)', async (path) => {
    await using scans = await listen()
    scans.say({ scans: published(scans, `${node(scans, 1).url}${path}`) })
    await using remote = await startRemote(seedsOf(scans), strict)
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
    await eventually(async () => (await asked(remote)).status === 200)
    expect(await asked(remote, 'another')).toMatchObject({ status: 200, names: ['a', 'b', 'c', 'd'] })
  })

  test('does not silence the other later', async () => {
    await using scans = await listen()
    scans.say({ scans: published(scans, node(scans, 0).url) })
    await using remote = await startRemote(seedsOf(scans), strict)
    expect(await asked(remote)).toMatchObject({ status: 200, threshold: 3, voters: 4 })
    scans.say({ scans: published(scans, `${node(scans, 1).url}/0`) })
    await untilRefreshed(remote, 'changed')
    await eventually(async () => (await asked(remote, 'another')).status === 200)
    expect(await asked(remote, 'a third')).toMatchObject({ status: 200, names: ['a', 'b', 'c', 'd'] })
    scans.say({ scans: published(scans, node(scans, 0).url) })
    await untilRefreshed(remote, 'changed')
    expect(await asked(remote, 'a fourth')).toMatchObject({ status: 200, threshold: 3, voters: 4 })
  })
})

describe('A super validator with an absurd', () => {
  const listen = async (ofD: (published: Scan) => object) => {
    const scans = await Scans.listen('a', 'b', 'c', 'd')
    const [a, b, c, d] = scans.published
    scans.say({ scans: [a, b, c, { ...d, ...ofD(node(scans, 3)) }] as typeof scans.published })
    return scans
  }

  test('URL counts in n, and has no address', async () => {
    await using scans = await listen(({ url }) => ({ publicUrl: `${url}/${'x'.repeat(4_000_000)}` }))
    await using remote = await startRemote(scans.urls.slice(0, 3), brisk)
    expect(await asked(remote)).toMatchObject({ status: 200, threshold: 2, voters: 4 })
    expect(JSON.stringify(await remote.report('/status')).length).toBeLessThan(100_000)
  })

  test('name votes under the beginning of that name, which every client can read in a header', async () => {
    await using scans = await listen(() => ({ svName: 'é'.repeat(17_000) }))
    await using remote = await startRemote(scans.urls, { ...brisk, 'scanClient.threshold': 4 })
    const answer = await fetch(`${remote.daemon.http}${byName('somebody')}`)
    const names = parseList(answer.headers.get('x-bft-agreed') ?? '').map(({ value }) => value)
    const cut = expect.stringMatching(/^é{100}\.\.\.[\w-]{43}$/)
    expect(names).toEqual(['a', 'b', 'c', { display: cut }])
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', cut])
  })
})

describe('The start:', () => {
  test('what f+1 seeds give alike is the roster, whatever one of them says', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    node(scans, 0).say({ scans: [{ svName: 'mallory', publicUrl: node(scans, 0).url }] })
    await using remote = await startRemote(scans.urls)
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
    expect((await remote.report('/status')).roster).toMatchObject({
      source: 'seeds',
      dso: 'DSO::1220d5',
      synchronizer: 'global-domain::1220aa',
    })
    expect(await asked(remote)).toMatchObject({ status: 200, threshold: 2, voters: 4 })
  })

  test.each([
    ['the DSO', { dso: 'DSO::1220ee' }],
    ['the synchronizer', { synchronizer: 'global-domain::1220bb' }],
  ])('seeds that differ in %s do not agree', async (_what, said) => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    for (const [index, scan] of scans.nodes.entries()) {
      const [[key = '', value] = []] = Object.entries(said)
      scan.say({ [key]: `${value}0${index}` })
    }
    await using remote = await startRemote(scans.urls)
    expect(await rosterOf(remote)).toBeNull()
    expect(await asked(remote)).toMatchObject({ status: 503 })
  })

  test('while the seeds are down callers are asked to come back, and reads are answered once the seeds are up', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    for (const scan of scans.nodes) await scan.stop()
    await using remote = await startRemote(scans.urls)
    expect((await remote.get('/readyz')).status).toBe(503)
    expect(await asked(remote)).toEqual({
      status: 503,
      error: 'No roster of super validators is agreed yet: no 2 of 4 seeds name the same super validators',
      retryAfter: '2',
    })
    expect(remote.lines().filter(({ level }) => level !== 'debug')).toMatchObject([
      { msg: 'there is no roster yet', said: { connect: 4 } },
      { msg: 'listening' },
    ])
    expect(await remote.report('/evidence')).toMatchObject({ cases: [] })

    for (const scan of scans.nodes.slice(0, 2)) await scan.start()
    await pass(remote, 1_000)
    await eventually(async () => (await rosterOf(remote)) !== null)
    expect((await remote.get('/readyz')).status).toBe(200)
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 4 })
  })

  test('seeds that are down are not asked in a tight loop', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    scans.say({ refuses: { status: 503, error: 'starting' } })
    await using remote = await startRemote(scans.urls)
    await pass(remote, 60_000)
    // The pause after the first attempt is half a second. Each later pause is twice as long as the one before, up to
    // half a minute.
    expect(node(scans, 0).count('/v0/scans')).toBeLessThanOrEqual(12)
  })

  test('what the seeds name has to agree on itself', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using others = await Scans.listen('w', 'x', 'y', 'z')
    scans.say({ scans: others.published })
    others.say({ scans: scans.published })
    await using remote = await startRemote(scans.urls)
    expect(await rosterOf(remote)).toBeNull()
    expect(await asked(remote)).toMatchObject({
      status: 503,
      error: expect.stringContaining(
        '0 of 4 super validators confirm the list of super validators that the seeds name, and 2 must',
      ),
    })
    others.say({ scans: others.published })
    await pass(remote, 1_000)
    expect(await rosterOf(remote)).toEqual(['w', 'x', 'y', 'z'])
  })

  test('one seed is taken at its word, and that is said', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls.slice(0, 1))
    expect(await remote.report('/status')).toMatchObject({
      ready: true,
      protected: true,
      warning: 'roster taken on the word of one seed',
    })
    expect((await remote.metrics()).value('scan_proxy_roster_single_seed')).toBe(1)
    expect(remote.lines().map(({ msg }) => msg)).toContain('roster taken on the word of one seed')
  })

  test('fewer super validators than the least are no roster', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, { 'scanClient.minimumVoters': 5 })
    expect(await asked(remote)).toMatchObject({
      status: 503,
      error: expect.stringContaining('it has 4 super validators, and 5 are the least'),
    })
  })

  test('a pinned DSO: seeds of another network are nobody', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    scans.say({ dso: 'DSO::1220ff' })
    await using remote = await startRemote(scans.urls, { 'scanClient.dsoPartyId': 'DSO::1220d5' })
    expect(await rosterOf(remote)).toBeNull()
    for (const scan of scans.nodes.slice(0, 2)) scan.say({ dso: 'DSO::1220d5' })
    await pass(remote, 1_000)
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('Who votes:', () => {
  test('a member whose URL cannot be used stays in n', async () => {
    await using scans = await Scans.listen('a', 'b', 'c')
    const odd = ['ftp://scan.example', 'no url', 'https://user:pass@scan.example', '']
    const published = [
      ...scans.published,
      ...odd.map((publicUrl, at) => ({ svName: `odd-${at}`, publicUrl })),
    ]
    scans.say({ scans: published })
    await using remote = await startRemote(scans.urls)
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 7, threshold: 3, agreed: 3 })
    const { roster } = await remote.report('/status')
    for (const member of roster.superValidators.slice(3))
      expect(member).toMatchObject({ url: null, reachable: false })
    expect(
      (await remote.metrics()).value('scan_proxy_roster_super_validators', { state: 'unreachable' }),
    ).toBe(4)
  })

  test('members that publish one origin stay in n and have one vote together', async () => {
    await using scans = await Scans.listen('a', 'b', 'c')
    const shared = ['x', 'y', 'z'].map((svName) => ({ svName, publicUrl: `${node(scans, 0).url}/` }))
    scans.say({ scans: [...scans.published, ...shared] })
    node(scans, 0).say({ description: 'a lie' })
    await using remote = await startRemote(scans.urls, { 'scanClient.fanout': 'all' })
    for (let round = 0; round < 10; round++) {
      expect(await asked(remote, `name-${round}`)).toMatchObject({
        status: 200,
        description: '',
        voters: 6,
        threshold: 2,
        names: ['b', 'c'],
      })
    }
    node(scans, 0).say({ description: '' })
    node(scans, 1).say({ description: 'a lie' })
    expect(await asked(remote, 'other')).toMatchObject({ agreed: 5, names: ['a', 'c', 'x', 'y', 'z'] })
    const { value } = await remote.metrics()
    expect(value('scan_proxy_roster_super_validators', { state: 'reachable' })).toBe(6)
    expect(value('scan_proxy_roster_super_validators', { state: 'unreachable' })).toBe(0)
    expect(value('scan_proxy_quorum_margin', { count: 'super_validators' })).toBe(1)
  })

  test('one that moves, wherever, empties no cache', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, {
      ...brisk,
      'cache.times': { lookupAnsEntryByName: { fresh: '1h', stale: '1h' } },
      'scanClient.operators': { one: ['127.0.0.1'] },
    })
    expect((await remote.get(byName('kept'))).status).toBe(200)
    const { url } = node(scans, 0)
    const elsewhere = 'http://localhost:1'
    for (const moved of [
      [`${url}/path`],
      [elsewhere],
      [node(scans, 1).url],
      ['nowhere'],
      [url, elsewhere],
      [elsewhere, url, 'nowhere'],
      [url],
    ]) {
      const own = moved.map((publicUrl) => ({ svName: 'a', publicUrl }))
      scans.say({ scans: [...own, ...scans.published.slice(1)] })
      await untilRefreshed(remote, 'changed')
      expect((await remote.get(byName('kept'))).headers['cache-status']).toMatch(/; hit/)
    }
  })

  test('one member with several URLs is one voter', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using more = await Scans.listen('a')
    scans.say({ scans: [...scans.published, ...more.published] })
    more.say({ description: 'a lie' })
    await using remote = await startRemote(scans.urls, { 'scanClient.fanout': 'all' })
    expect(await asked(remote)).toMatchObject({ status: 200, description: '', voters: 4 })
  })

  test('the seeds, where nothing is to be discovered', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, { ...brisk, 'scanClient.discover': false })
    const hosts = scans.urls.map((url) => new URL(url).host).sort()
    expect([...((await rosterOf(remote)) ?? [])].sort()).toEqual(hosts)
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 4, threshold: 2 })
    await pass(remote, 30_000)
    for (const scan of scans.nodes) expect(scan.count('/v0/scans')).toBe(0)
  })

  test('bft-custom: those that are named, found or not', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd', 'e')
    const svNames = ['d', 'b', 'nobody', 'c']
    await using remote = await startRemote(scans.urls, {
      'scanClient.scanType': 'bft-custom',
      'scanClient.svNames': svNames,
    })
    expect(await rosterOf(remote)).toEqual(['b', 'c', 'd', 'nobody'])
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 4, threshold: 2 })
    for (const index of [0, 4]) expect(node(scans, index).count('/by-name/')).toBe(0)
  })

  test('trust-single: one seed, and that it is not protected is said', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls.slice(0, 1), { 'scanClient.scanType': 'trust-single' })
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 1, threshold: 1, protected: false })
    expect(await remote.report('/status')).toMatchObject({ mode: 'trust-single', protected: false })
    expect((await remote.metrics()).value('scan_proxy_protected')).toBe(0)
    for (const scan of scans.nodes.slice(1)) expect(scan.asked).toEqual([])
  })

  test('a threshold above the shared votes: nobody is asked for names, until the roster has enough votes', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const own = scans.published
    scans.say({
      scans: own.map((each) => (each.svName === 'd' ? { ...each, publicUrl: node(scans, 0).url } : each)),
    })
    await using remote = await startRemote(scans.urls, { ...brisk, 'scanClient.threshold': 4 })
    expect(await asked(remote)).toEqual({
      status: 503,
      error: 'The configured threshold 4 is above the 3 votes of the roster.',
      retryAfter: '2',
    })
    for (const scan of scans.nodes) expect(scan.count('/by-name/')).toBe(0)
    scans.say({ scans: own })
    await untilRefreshed(remote, 'changed')
    expect(await asked(remote)).toMatchObject({ status: 200, threshold: 4, agreed: 4 })
  })

  test('operators: one company is not enough, however many scans it runs', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd', 'e', 'f', 'g')
    await using remote = await startRemote(scans.urls, {
      'scanClient.operators': { one: ['a', 'b', 'c'], two: ['nobody'] },
      'scanClient.fanout': 'all',
    })
    for (const scan of scans.nodes.slice(0, 3)) scan.say({ description: 'a lie' })
    for (let round = 0; round < 10; round++) {
      const heard = await asked(remote, `name-${round}`)
      expect(heard).toMatchObject({ status: 200, description: '', threshold: 3, 'operator-threshold': 2 })
      expect(heard).toMatchObject({ 'operator-voters': 5 })
    }
    expect((await remote.report('/status')).roster.unmatchedOperators).toEqual(['nobody'])
    const { value } = await remote.metrics()
    expect(value('scan_proxy_operators_unmatched')).toBe(1)
    expect(value('scan_proxy_quorum_threshold', { count: 'operators' })).toBe(2)
    expect(value('scan_proxy_quorum_margin', { count: 'operators' })).toBe(3)
    expect(remote.lines().map(({ msg }) => msg)).toContain('members of operators match no super validator')
  })
})

describe('A refresh:', () => {
  test('finds the same super validators, and the age of the roster is reset', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    await pass(remote, 5_000)
    expect((await remote.metrics()).value('scan_proxy_roster_age_seconds')).toBe(5)
    await untilRefreshed(remote, 'same')
    expect((await remote.metrics()).value('scan_proxy_roster_age_seconds')).toBe(0)
    expect((await remote.report('/status')).roster.source).toBe('refresh')
  })

  test('finds a new super validator, who votes from then on, and answers under the old roster are not served', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    await asked(remote)
    expect(await asked(remote)).toMatchObject({ voters: 4 })
    await using fifth = await Scans.listen('e')
    const published = [...scans.published, ...fifth.published]
    scans.say({ scans: published })
    fifth.say({ scans: published })
    await untilRefreshed(remote, 'changed')
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 5 })
    expect((await remote.metrics()).value('scan_proxy_roster_super_validators', { state: 'reachable' })).toBe(
      5,
    )
  })

  test('that changes the roster asks nothing of a super validator that is set aside, not even its release', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    await settled(remote)
    expect(node(scans, 3).count('/version')).toBe(1)
    remote.daemon.scan.connections.cordon.add('d')
    const asked = [...node(scans, 3).asked]
    remote.clock.advance(600_000)
    await settled(remote)
    await using fifth = await Scans.listen('e')
    const published = [...scans.published, ...fifth.published]
    scans.say({ scans: published })
    fifth.say({ scans: published })
    await untilRefreshed(remote, 'changed')
    expect(node(scans, 0).count('/version')).toBe(2)
    expect(node(scans, 3).asked).toEqual(asked)
  })

  test('one member that says something else changes nothing', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    node(scans, 2).say({ scans: [{ svName: 'mallory', publicUrl: 'http://127.0.0.1:9' }] })
    await untilRefreshed(remote, 'same')
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('two groups that both reach the threshold change nothing', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    await using fifth = await Scans.listen('e')
    for (const scan of scans.nodes.slice(0, 2)) scan.say({ scans: [...scans.published, ...fifth.published] })
    await untilRefreshed(remote, 'failed')
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 4 })
    const { cases } = await remote.report('/evidence')
    expect(cases[0]).toMatchObject({
      read: 'roster',
      outcome: 'disputed',
      rule: 'two groups of super validators both reach the threshold',
    })
    expect(cases[0].statements).toHaveLength(2)
  })

  test('a drastic change is taken only when the next one gives it too, a whole interval later', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    scans.say({ scans: scans.published.slice(0, 3) })
    await untilRefreshed(remote, 'held')
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
    await pass(remote, 8_500)
    expect(await rosterOf(remote), 'not before the next refresh').toEqual(['a', 'b', 'c', 'd'])
    await untilRefreshed(remote, 'changed')
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c'])
    expect(await asked(remote)).toMatchObject({ voters: 3, threshold: 1, protected: false })
  })

  test('drastic changes that differ each time are never taken', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    for (let round = 0; round < 4; round++) {
      scans.say({ scans: scans.published.toSpliced(round, 1) })
      await untilRefreshed(remote, 'held')
    }
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
    scans.say({ scans: scans.published })
    await untilRefreshed(remote, 'same')
  })

  test('nobody at all, or another DSO, is never taken', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    scans.say({ scans: [] })
    await untilRefreshed(remote, 'failed')
    await untilRefreshed(remote, 'failed')
    scans.say({ scans: scans.published, dso: 'DSO::1220ee' })
    await untilRefreshed(remote, 'failed')
    await untilRefreshed(remote, 'failed')
    const { roster } = await remote.report('/status')
    expect(roster.dso).toBe('DSO::1220d5')
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('that fails leaves the last roster, which serves, and grows older', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, brisk)
    for (const scan of scans.nodes.slice(0, 2)) await scan.stop()
    node(scans, 2).say({ scans: [] })
    await untilRefreshed(remote, 'failed')
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 4 })
    expect((await remote.metrics()).value('scan_proxy_roster_age_seconds')).toBeGreaterThan(8)
    node(scans, 2).say({ scans: scans.published })
    await untilRefreshed(remote, 'same')
  })
})

describe('The roster that is kept in a file:', () => {
  const folder = newFolder(afterAll)
  let count = 0

  const filed = (path: string, config = {}) => ({ ...brisk, 'scanClient.rosterFile': path, ...config })
  const aFile = () => join(folder, `${count++}.json`)

  async function left(scans: Scans, clock: ManualClock): Promise<string> {
    const path = aFile()
    await using _remote = await startRemote(scans.urls, filed(path), { clock })
    await eventually(async () => (await stat(path).catch(() => undefined)) !== undefined)
    return path
  }

  test('only its owner can read it, and it says what was agreed, and when', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const path = await left(scans, new ManualClock())
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      version: 1,
      network: 'remote',
      agreedAt: '2026-01-01T00:00:00.000Z',
      dso: 'DSO::1220d5',
      synchronizer: 'global-domain::1220aa',
      members: scans.published.map(({ svName, publicUrl }) => ({ name: svName, urls: [publicUrl] })),
    })
  })

  test('while the seeds are down it serves; when they are back they have to confirm it', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using seeds = await Scans.listen('s')
    const clock = new ManualClock()
    const path = await left(scans, clock)
    clock.advance(3_600_000)
    for (const scan of seeds.nodes) await scan.stop()
    await using remote = await startRemote(seeds.urls, filed(path), { clock })
    expect((await remote.report('/status')).roster).toMatchObject({ source: 'file', ageSeconds: 3_600 })
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 4 })
    expect((await remote.metrics()).value('scan_proxy_roster_age_seconds')).toBe(3_600)
    seeds.say({ scans: scans.published })
    for (const scan of seeds.nodes) await scan.start()
    await eventually(async () => {
      await pass(remote, 500)
      return (await remote.report('/status')).roster.source === 'seeds'
    })
    expect((await remote.report('/status')).roster.ageSeconds).toBeLessThan(1)
  })

  test('it serves at once, while the seeds have not answered yet', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using seeds = await Scans.listen('s')
    const clock = new ManualClock()
    const path = await left(scans, clock)
    seeds.say({ hangs: true })
    await using remote = await startRemote(seeds.urls, filed(path), { clock })
    expect(await asked(remote)).toMatchObject({ status: 200, voters: 4 })
    await eventually(() => node(seeds, 0).count('/v0/scans') === 1)
  })

  test('where the seeds say otherwise, they are right', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using others = await Scans.listen('w', 'x', 'y', 'z')
    const clock = new ManualClock()
    const path = await left(scans, clock)
    await using remote = await startRemote(others.urls, filed(path), { clock })
    await eventually(async () => (await remote.report('/status')).roster.source === 'seeds')
    expect(await rosterOf(remote)).toEqual(['w', 'x', 'y', 'z'])
    await eventually(async () => (await readFile(path, 'utf8')).includes('"w"'))
  })

  test('it is used for as long as it may be, and no longer', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const clock = new ManualClock()
    const path = await left(scans, clock)
    for (const scan of scans.nodes) await scan.stop()
    await using remote = await startRemote(scans.urls, filed(path, { 'scanClient.rosterMaxAge': '60s' }), {
      clock,
    })
    expect(await rosterOf(remote)).toEqual(['a', 'b', 'c', 'd'])
    clock.advance(59_000)
    expect((await remote.get('/readyz')).status).toBe(200)
    clock.advance(1_500)
    expect((await remote.get('/readyz')).status).toBe(503)
    expect(await asked(remote)).toMatchObject({ status: 503 })
  })

  const unusable: readonly (readonly [
    sentence: string,
    spoil: (kept: string, clock: ManualClock) => string,
    config: object,
    why: string,
  ])[] = [
    [
      'is too old',
      (kept, clock) => {
        clock.advance(7 * 86_400_000)
        return kept
      },
      {},
      'it is of 2026-01-01T00:00:00.000Z',
    ],
    [
      'is of the future',
      (kept) => kept.replace('2026-01-01', '2027-01-01'),
      {},
      'it is of 2027-01-01T00:00:00.000Z',
    ],
    [
      'is of another network',
      (kept) => kept.replace('"remote"', '"localnet"'),
      {},
      'it is of the network localnet',
    ],
    ['is of another DSO', (kept) => kept, { 'scanClient.dsoPartyId': 'DSO::1220ee' }, 'it is of another DSO'],
    ['is cut off', (kept) => kept.slice(0, 100), {}, 'it is not a roster'],
    ['is empty', () => '', {}, 'it is not a roster'],
    [
      'has something else in it',
      (kept) => kept.replace('"version": 1', '"version": 2'),
      {},
      'it is not a roster',
    ],
  ]
  test.each(unusable)('one that %s is not used', async (_sentence, spoil, config, why) => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const clock = new ManualClock()
    const path = await left(scans, clock)
    await writeFile(path, spoil(await readFile(path, 'utf8'), clock))
    for (const scan of scans.nodes) await scan.stop()
    await using remote = await startRemote(scans.urls, filed(path, config), { clock })
    expect(await rosterOf(remote)).toBeNull()
    const told = remote.lines().filter((line) => String(line['why']).includes('is not used'))
    expect(told).toMatchObject([
      {
        level: 'warn',
        msg: 'the roster file is not used; the seeds are asked',
        why: `${path} is not used: ${why}`,
      },
    ])
  })

  test.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdir(path)],
  ])('%s in its place is neither read nor replaced', async (_sentence, make) => {
    const path = aFile()
    await make(path)
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, filed(path))
    expect(await asked(remote)).toMatchObject({ status: 200 })
    const told = remote.lines().map((line) => line['why'])
    expect(told).toContainEqual(expect.stringMatching(/ is not used: it is (?:a folder, )?not a file$/))
    expect((await stat(path)).isFile()).toBe(false)
  })

  test('a file that is longer than any roster is not read to its end', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const path = join(folder, 'huge.json')
    await writeFile(path, '')
    await truncate(path, 5 * 1024 ** 3)
    await using remote = await startRemote(scans.urls, filed(path))
    expect(await asked(remote)).toMatchObject({ status: 200 })
    expect(remote.lines().map((line) => line['why'])).toContain(
      `${path} is not used: it is longer than 4194304 bytes`,
    )
  })

  test('a folder that cannot be written changes no answer', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const path = join(folder, 'missing', 'roster.json')
    await using remote = await startRemote(scans.urls, filed(path))
    expect(await asked(remote)).toMatchObject({ status: 200 })
    const why = expect.stringContaining(`${path} cannot be written`)
    await eventually(() => remote.lines().some((line) => why.asymmetricMatch(line['why'])))
    const messages = remote.lines().map(({ msg }) => msg)
    expect(messages).toContain('the roster file was not written; the next start has to ask the seeds')
    expect(messages).not.toContain('the roster was not refreshed')
    const refreshes = await remote.metrics()
    expect(refreshes.value('scan_proxy_roster_refreshes_total', { outcome: 'failed' })).toBe(0)
  })
})

test('a list that only one seed gives leads to few of the addresses in it, the seeds first', async () => {
  const addresses = new Set<string>()
  await using others = createServer((socket) => {
    addresses.add(socket.localAddress ?? '')
    socket.resume()
    socket.on('error', () => {})
  }).listen(0, '0.0.0.0')
  await once(others, 'listening')
  const { port } = others.address() as AddressInfo
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  const [liar, ...silent] = scans.nodes
  for (const scan of silent) scan.say({ refuses: { status: 503, error: 'starting' } })
  const strangers = Array.from({ length: 252 }, (_, nth) => ({
    svName: `0-${nth}`,
    publicUrl: `http://127.0.1.${nth + 1}:${port}`,
  }))
  liar?.say({ scans: [...strangers, ...scans.published] })
  {
    await using remote = await startRemote(scans.urls)
    expect((await remote.report('/status')).roster).toBeNull()
    await eventually(() => addresses.size >= 12)
  }
  expect(addresses.size).toBe(12)
})

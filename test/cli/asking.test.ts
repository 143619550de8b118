import { createServer } from 'node:http'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { readIds } from '../../src/core/reads/endpoints.ts'
import type { Fault } from '../../src/localnet/faults.ts'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { releases, usualRelease } from '../../src/localnet/releases.ts'
import { startLiveStage, startRemote } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { command, commandHere } from './command.ts'

const localnet = (await startLocalnet({ superValidators: 4 })) as WorldLocalnet
afterEach(() => fault([]))
afterAll(() => localnet[Symbol.asyncDispose]())

async function fault(names: readonly string[], what?: Fault): Promise<void> {
  for (const { name } of localnet.superValidators)
    await localnet.setFault(name, names.includes(name) ? what : undefined)
}

const seeds = () => localnet.superValidators.map(({ url }) => url)
const asks = () => seeds().reduce((sum, _, at) => sum + localnet.asks(`sv-${at + 1}`), 0)

function run(args: readonly string[], settings: object = {}, start = commandHere) {
  return start(args, {
    SCAN_SEED_URLS: seeds().join(','),
    NODE_CONFIG: JSON.stringify({ scanClient: settings }),
  })
}

describe('lookup', () => {
  test('shows an entry by its name, and who agreed', async () => {
    const { code, out, err } = await run(['lookup', 'alice.unverified.cns'], {}, command)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const entry = localnet.truth.entryByName('alice.unverified.cns')
    const lines = out.trimEnd().split('\n')
    expect(lines).toEqual([
      `name         ${entry?.name}`,
      `user         ${entry?.user}`,
      `url          ${entry?.url}`,
      `description  ${entry?.description}`.trimEnd(),
      `expires      ${entry?.expires_at}`,
      `contract     ${entry?.contract_id}`,
      expect.stringMatching(/^agreed by sv-\d, sv-\d.*: [2-4] of 4, 2 are needed$/),
    ])
  })

  test('with --live asks the super validators', async () => {
    const before = asks()
    const { code, out, err } = await run(['lookup', '--live', '--json', 'dso.cns'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out)).toMatchObject({ kind: 'value', value: { entry: { name: 'dso.cns' } } })
    expect(JSON.parse(out)).not.toHaveProperty('asOf')
    expect(asks()).toBeGreaterThan(before)
    expect(await run(['read', '--live', 'getDsoPartyId'])).toMatchObject({ code: 0 })
  })

  test('takes a party too, and gives one line of JSON to scripts', async () => {
    const { code, out, err } = await run(['lookup', '--json', localnet.world.dsoParty])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out)).toMatchObject({
      kind: 'value',
      value: { entry: localnet.truth.entryByName('dso.cns') },
      agreement: { threshold: 2, voters: 4, protected: true },
      agreedAt: expect.stringMatching(/^20\d\d-/),
      digest: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(out.trimEnd()).not.toContain('\n')
  })

  test('ends with 66 where a quorum agrees that there is no such name', async () => {
    const absent = 'No ans entry found for name: nobody.cns'
    const { code, out, err } = await run(['lookup', 'nobody.cns'])
    expect({ code, out }).toEqual({ code: 66, out: '' })
    expect(err).toMatch(new RegExp(`^${absent} \\(agreed by sv-.* are needed\\)\n$`))
    const scripted = await run(['lookup', '--json', 'nobody.cns'])
    expect(scripted).toMatchObject({ code: 66, err: '' })
    expect(JSON.parse(scripted.out)).toMatchObject({ kind: 'absence', status: 404, error: absent })
  })

  test('says where one seed alone vouches for the super validators, to people and in JSON', async () => {
    const alone = { SCAN_SEED_URLS: seeds()[0] as string }
    const { code, out, err } = await commandHere(['lookup', '--json', 'dso.cns'], alone)
    expect({ code, singleSeed: JSON.parse(out).singleSeed }).toEqual({ code: 0, singleSeed: true })
    expect(err).toMatch(/^warning: one seed alone says who the super validators are, /m)
    expect(JSON.parse((await run(['lookup', '--json', 'dso.cns'])).out)).not.toHaveProperty('singleSeed')
  })

  test('ends with 65 for what is no party, before any node is asked', async () => {
    const before = asks()
    expect(await run(['lookup', 'x::!'])).toEqual({
      code: 65,
      out: '',
      err: 'Fingerprint decoding of `x::!` failed with: non expected character 0x21 in Daml-LF Party\n',
    })
    expect(asks()).toBe(before)
  })

  test('ends with 76 where the super validators do not agree, with the error as JSON for scripts', async () => {
    await fault(['sv-1', 'sv-2', 'sv-3', 'sv-4'], { kind: 'lie', alone: true, only: ['by-name'] })
    const { code, out } = await run(['lookup', '--json', 'dso.cns'])
    expect(code).toBe(76)
    expect(JSON.parse(out)).toEqual({
      kind: 'error',
      code: 'noConsensus',
      status: 502,
      error: 'Failed to reach consensus from 4 Scan nodes, requiring 2 matching responses.',
    })
  })

  test('ends with 69 where too few can be asked', async () => {
    await fault(['sv-1', 'sv-2', 'sv-3'], { kind: 'refuse' })
    const { code, err } = await run(['lookup', 'dso.cns'])
    expect({ code, err }).toEqual({
      code: 69,
      err: `No roster of super validators is agreed yet: no 2 of 4 seeds name the same super validators
4 seeds: connect 3, answered 1; run \`bft-scan-proxy doctor\`, which says why
`,
    })
  })
})

describe('read', () => {
  test('gives the value as JSON, and who agreed beside it', async () => {
    const { code, out, err } = await run(
      ['read', 'listAnsEntries', 'page_size=2', 'name_prefix=sv-'],
      {},
      command,
    )
    expect(code).toBe(0)
    expect(JSON.parse(out).entries.map(({ name }: { name: string }) => name)).toEqual([
      'sv-1.sv.cns',
      'sv-2.sv.cns',
    ])
    expect(err).toMatch(/^agreed by sv-/)
  })

  test('takes the members of a body as keys, or the whole of it', async () => {
    const byMembers = await run([
      'read',
      'getUpdateHistoryV2',
      'page_size=2',
      'daml_value_encoding=compact_json',
    ])
    const byBody = await run(['read', '--json', 'getUpdateHistoryV2', 'body={"page_size":2}'])
    expect(JSON.parse(byMembers.out).transactions).toHaveLength(2)
    expect(JSON.parse(byBody.out).value).toEqual(JSON.parse(byMembers.out))
  })

  test('lists every read with what it takes', async () => {
    const { code, out } = await run(['read', '--list'])
    expect(code).toBe(0)
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(readIds)
    expect(out).toMatch(/^listAnsEntries +\[name_prefix=\] page_size= +Registered names, by prefix\.$/m)
  })

  test.each([
    [['nope'], 'error: there is no read nope; --list lists them'],
    [['listAnsEntries', 'xyz=2'], 'error: listAnsEntries takes no xyz. It takes name_prefix, page_size.'],
    [['listAnsEntres'], 'error: there is no read listAnsEntres; did you mean listAnsEntries?'],
    [
      ['listAnsEntries', 'pagesize=2'],
      'error: listAnsEntries takes no pagesize; did you mean page_size? It takes name_prefix, page_size.',
    ],
    [['getDsoInfo', 'a=b'], 'error: getDsoInfo takes no a: it has no parameters.'],
    [['getDsoInfo', 'a'], 'error: "a" is no KEY=VALUE'],
    [[], "error: missing required argument 'READ'; --list lists them"],
    [['--list', 'getDsoInfo'], 'error: --list takes no read'],
    [
      ['listAnsEntries', 'page_size=1', 'page_size=2'],
      'error: listAnsEntries takes one page_size, and there are several',
    ],
    [
      ['getUpdateHistoryV2', 'page_size=1', 'page_size=1'],
      'error: getUpdateHistoryV2 takes one page_size, and there are several',
    ],
    [
      ['getUpdateHistoryV2', 'body={}', 'page_size=1'],
      'error: getUpdateHistoryV2 takes body or members of it, and not both',
    ],
  ])('%j ends with 64 and a sentence about its mistake', async (args, err) => {
    const ran = await run(['read', ...args])
    expect({ ...ran, err: ran.err.trimEnd() }).toEqual({ code: 64, out: '', err })
  })

  test.each([
    [['listAnsEntries'], 'listAnsEntries needs page_size.'],
    [['lookupAnsEntryByName', 'name='], 'The name must not be empty.'],
    [['listAnsEntries', 'page_size=0'], 'Limit must be at least 1.'],
    [
      ['getUpdateHistoryV2', 'page_size="ten"'],
      'The request content was malformed:\npage_size must be an integer',
    ],
  ])('%j does not fit its row: 65 before any node is asked', async (args, err) => {
    const before = asks()
    const ran = await run(['read', ...args])
    expect({ code: ran.code, out: ran.out }).toEqual({ code: 65, out: '' })
    expect(ran.err.trimEnd()).toBe(err)
    expect(asks()).toBe(before)
  })
})

describe('roster', () => {
  test('shows who is reachable from here, with latency and release, and whether f+1 and 2f+1 hold', async () => {
    await fault(['sv-2', 'sv-3'], { kind: 'refuse' })
    const { code, out, err } = await run(['roster'], {}, command)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [header, ...lines] = out.trimEnd().split('\n')
    expect(header).toMatch(/^super validator +operator +scan +reachable +latency +release$/)
    expect(lines).toEqual([
      expect.stringMatching(/^sv-1 +- +127\.0\.0\.1:\d+ +yes +\d+ ms +\d\.\d\.\d$/),
      expect.stringMatching(/^sv-2 +- +127\.0\.0\.1:\d+ +NO +- +connect: connect ECONNREFUSED /),
      expect.stringMatching(/^sv-3 +- +127\.0\.0\.1:\d+ +NO +- +connect: connect ECONNREFUSED /),
      expect.stringMatching(/^sv-4 +- +127\.0\.0\.1:\d+ +yes +\d+ ms +\d\.\d\.\d$/),
      '4 super validators; up to 1 that lie are tolerated',
      'f+1 holds: 2 needed, 2 reachable',
      '2f+1 DOES NOT HOLD: 3 needed, 2 reachable',
    ])
  })

  test('ends with 69 where the configured threshold does not hold, by super validators or by operators', async () => {
    const operators = { one: ['sv-1', 'sv-2'], two: ['sv-3', 'sv-4'] }
    const { code, out } = await run(['roster', '--json'], { operators, threshold: '2f+1' })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      source: 'agreed',
      dso: localnet.world.dsoParty,
      synchronizer: localnet.world.synchronizer,
      voters: 4,
      tolerated: 1,
      superValidators: localnet.superValidators.map(({ name, url }, at) => ({
        names: [name],
        operator: at < 2 ? 'one' : 'two',
        url,
        reachable: true,
        latencyMs: expect.any(Number),
        version: releases[usualRelease].version,
        fault: null,
      })),
      thresholds: {
        'f+1': { needed: 2, reachable: 4, holds: true, operators: { needed: 1, reachable: 2 } },
        '2f+1': { needed: 3, reachable: 4, holds: true, operators: { needed: 2, reachable: 2 } },
        configured: { needed: 3, reachable: 4, holds: true, operators: { needed: 2, reachable: 2 } },
      },
    })
    await fault(['sv-3', 'sv-4'], { kind: 'hang', only: ['version'] })
    const held = await run(['roster', '--json'], { operators, threshold: '2f+1', requestTimeout: '300ms' })
    expect(held.code).toBe(69)
    expect(JSON.parse(held.out).thresholds.configured).toEqual({
      needed: 3,
      reachable: 2,
      holds: false,
      operators: { needed: 2, reachable: 1 },
    })
  })

  test('shows the seeds, and what each of them said, where no roster is agreed', async () => {
    await fault(['sv-1', 'sv-2', 'sv-3', 'sv-4'], { kind: 'refuse' })
    const { code, out } = await run(['roster'])
    expect(code).toBe(69)
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toBe(
      'No roster is agreed: no 2 of 4 seeds name the same super validators. These are the seeds:',
    )
    expect(lines[1]).toMatch(/^seed +said +detail$/)
    expect(lines.filter((line) => / connect +connect ECONNREFUSED /.test(line))).toHaveLength(4)
    expect(lines[7]).toMatch(/^What to do: 4 seeds of 4 cannot be reached\. Check the egress of this machine/)
    expect(lines[8]).toBe('4 seeds: connect 4; run `bft-scan-proxy doctor`, which says why')
    for (const url of seeds())
      expect(lines.filter((line) => line.startsWith(new URL(url).host))).toHaveLength(1)
    expect(lines.at(-1)).toBe('Without a roster no threshold holds.')
  })

  test('names the cause for each seed, and asks none of those again that gave no roster', async () => {
    await fault(['sv-1', 'sv-2'], { kind: 'hang' })
    await localnet.setFault('sv-3', { kind: 'forbidden' })
    const before = asks()
    const seedUrls = [...seeds().slice(0, 3), 'http://no-such-scan.invalid']
    const { code, out } = await commandHere(['roster', '--json'], {
      SCAN_SEED_URLS: seedUrls.join(','),
      NODE_CONFIG: JSON.stringify({ scanClient: { requestTimeout: '300ms' } }),
    })
    expect(code).toBe(69)
    const report = JSON.parse(out)
    expect(report.seeds.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'timed-out',
      'timed-out',
      'refused',
      'dns',
    ])
    // The report sorts voters by URL. The ports in the URLs are random, so the order is random too.
    expect(report.superValidators.map((one: { fault: string }) => one.fault).toSorted()).toEqual([
      expect.stringMatching(/^dns: /),
      expect.stringMatching(/^refused: status 403/),
      expect.stringMatching(/^timed-out: /),
      expect.stringMatching(/^timed-out: /),
    ])
    expect(asks() - before).toBeLessThanOrEqual(9)
  })

  test('names no DSO where no roster is agreed, not even the pinned one', async () => {
    const { code, out } = await commandHere(['roster', '--json'], {
      SCAN_SEED_URLS: 'http://127.0.0.1:1',
      SCAN_DSO_PARTY_ID: `DSO::1220${'ab'.repeat(32)}`,
    })
    expect(code).toBe(69)
    expect(JSON.parse(out)).toMatchObject({ source: 'seeds', dso: '' })
  })

  test.each([
    ['everything', () => true],
    ['all but its release', (path: string) => !path.endsWith('/version')],
  ])('counts no seed that answers %s with a page of a login', async (_, isPage) => {
    const scan = createServer(({ url = '' }, response) => {
      if (isPage(url)) response.setHeader('content-type', 'text/html').end('<html>login</html>')
      else response.setHeader('content-type', 'application/json').end('{"version":"0.7.5"}')
    })
    using server = await onLoopback(scan)
    const seedUrls = [`http://127.0.0.1:${server.port}`]
    const { code, out } = await commandHere(['roster', '--json'], {
      NODE_CONFIG: JSON.stringify({
        network: 'remote',
        logLevel: 'fatal',
        scanClient: { seedUrls, allowHttp: true, allowPrivate: true },
      }),
    })
    expect(code).toBe(69)
    const { superValidators, thresholds } = JSON.parse(out)
    expect(superValidators).toMatchObject([{ reachable: false, fault: expect.any(String) }])
    expect(thresholds['f+1']).toMatchObject({ reachable: 0, holds: false })
  })

  test('says of a 403 that it may be for an allow-list', async () => {
    using server = await onLoopback(createServer((_, response) => response.writeHead(403).end()))
    const { code, out } = await commandHere(['roster', '--json'], {
      SCAN_SEED_URLS: `http://127.0.0.1:${server.port}`,
      NODE_CONFIG: JSON.stringify({ scanClient: { discover: false } }),
    })
    expect(code).toBe(69)
    const fault = 'it answers 403: this address may not be on its allow-list'
    expect(JSON.parse(out).superValidators[0]).toMatchObject({ reachable: false, fault })
  })
})

describe('on a localnet without seeds', () => {
  test('its daemon says which scans there are', async () => {
    await using stage = await startLiveStage()
    const env = { OPERATIONS_PORT: new URL(stage.daemon.operations).port }
    const { code, out } = await commandHere(['lookup', '--json', 'dso.cns'], env)
    expect({ code, said: JSON.parse(out).value }).toEqual({
      code: 0,
      said: { entry: stage.localnet.truth.entryByName('dso.cns') },
    })
  })

  test.each([['lookup', 'dso.cns'], ['read', 'getDsoPartyId'], ['roster'], ['doctor']])(
    '%s asks the daemon that --operations names',
    async (...args) => {
      await using stage = await startLiveStage()
      const { code, out, err } = await commandHere([
        ...args,
        '--json',
        '--operations',
        stage.daemon.operations,
      ])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(JSON.parse(out)).toBeTypeOf('object')
    },
  )

  test('--operations is refused where the seeds are configured', async () => {
    expect(
      await commandHere(['roster', '--network', 'mainnet', '--operations', 'localhost:1']),
    ).toMatchObject({
      code: 64,
      out: '',
      err: 'error: --operations names the daemon of a localnet, and here the seeds are configured\n',
    })
  })

  test('a daemon of another network is not taken for that of a localnet', async () => {
    await using stage = await startRemote(seeds())
    const { code, err } = await commandHere(['roster', '--operations', stage.daemon.operations])
    expect({ code, err }).toEqual({
      code: 69,
      err: `the daemon at ${stage.daemon.operations} is on remote, not on a localnet: give this command its configuration\n`,
    })
  })

  test('a command without a running daemon says so in one sentence, and ends with 69', async () => {
    const port = String(await freePort())
    expect(await commandHere(['roster'], { OPERATIONS_PORT: port })).toEqual({
      code: 69,
      out: '',
      err: `no daemon with a localnet answers at http://127.0.0.1:${port}: start one with \`bft-scan-proxy serve\`, name its operations address with --operations, set SCAN_SEED_URLS, or choose a network with --network\n`,
    })
  })
})

test('a configuration that cannot be used ends with 78', async () => {
  const { code, err } = await command(['lookup', 'dso.cns'], { SCAN_THRESHOLD: 'x' })
  expect(code).toBe(78)
  expect(err).toMatch(/^scanClient\.threshold must be /)
})

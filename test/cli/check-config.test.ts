import { readdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkConfig } from '../../src/cli/check-config.ts'
import { configFolder } from '../config/folder.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { printed } from './printed.ts'

const packageDir = fileURLToPath(new URL('../..', import.meta.url))

async function check(env: Readonly<Record<string, string>>, json = false) {
  const out: string[] = []
  const err: string[] = []
  const print = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) }
  return { code: await checkConfig({ json }, print, { env, cwd: packageDir, packageDir }), out, err }
}

test('a usable configuration is summed up as it would be written, and ends with 0', async () => {
  const { code, out, err } = await check({ NODE_CONFIG_ENV: 'devnet', SCAN_THRESHOLD: '2f+1' })
  expect({ code, err }).toEqual({ code: 0, err: [] })
  expect(out).toContain(`           ${packageDir}config/devnet.yaml`)
  expect(out).toEqual(
    expect.arrayContaining([
      'network: devnet',
      'http.port: 8080',
      'http.shutdownDelay: 0s',
      'scanClient.threshold: 2f+1',
      'scanClient.refreshInterval: 10m',
      'scanClient.maxResponseBytes: 32MiB',
      'scanClient.operators: {"mpch":[".mpch.io"],"cumberland":[".cumberland.io"],"digitalasset":[".digitalasset.com"]}',
      'scanClient.minimumVoters: 4',
    ]),
  )
})

test('on real networks, a configuration without a pinned DSO is pointed out', async () => {
  const told = async (env: Readonly<Record<string, string>>) =>
    (await check(env)).out.filter((line) => line.startsWith('DSO '))
  expect(await told({})).toEqual([])
  expect(await told({ NETWORK: 'mainnet' })).toEqual([
    expect.stringMatching(/^DSO {8}not pinned; .* set scanClient\.dsoPartyId \(SCAN_DSO_PARTY_ID\) to it$/),
  ])
  const pinned = { NETWORK: 'mainnet', SCAN_DSO_PARTY_ID: `DSO::1220${'ab'.repeat(32)}` }
  expect(await told(pinned)).toEqual([])
})

test('the network is printed with the setting that chose it', async () => {
  const networkOf = async (env: Readonly<Record<string, string>>) =>
    (await check(env)).out.find((line) => line.startsWith('network '))
  expect(await networkOf({})).toBe('network    localnet, the default')
  expect(await networkOf({ NETWORK: 'mainnet' })).toBe('network    mainnet, chosen by NETWORK')
  expect(await networkOf({ NODE_CONFIG_ENV: 'devnet' })).toBe('network    devnet, chosen by NODE_CONFIG_ENV')
  expect(await networkOf({ NODE_CONFIG: '{"network":"testnet"}' })).toBe(
    'network    testnet, chosen by NODE_CONFIG',
  )
  const { print, out } = printed()
  await checkConfig({ json: false }, print, {
    env: { NODE_CONFIG_ENV: 'devnet' },
    cwd: packageDir,
    packageDir,
    flags: { network: 'mainnet' },
  })
  expect(out).toContain('network    mainnet, chosen by --network')
})

test('the threshold is printed in numbers of super validators, of the kept roster or else of seeds', async () => {
  const thresholdIn = async (env: Readonly<Record<string, string>>) =>
    (await check(env)).out.find((line) => line.startsWith('threshold '))
  expect(await thresholdIn({ LOCALNET_SUPER_VALIDATORS: '7', SCAN_THRESHOLD: '2f+1' })).toBe(
    'threshold  5 of 7 (2f+1): up to 2 may lie or fail',
  )
  expect(await thresholdIn({ LOCALNET_SUPER_VALIDATORS: '13', SCAN_THRESHOLD: '11' })).toBe(
    'threshold  11 of 13: up to 2 may lie or fail',
  )
  expect(await thresholdIn({ LOCALNET_SUPER_VALIDATORS: '3' })).toBe(
    'threshold  1 of 3 (f+1): none may lie, up to 2 may fail',
  )
  expect(await thresholdIn({ NETWORK: 'mainnet' })).toBe(
    'threshold  5 of 13 (f+1), if the seeds are all super validators: up to 4 may lie or fail',
  )
  const members = Array.from({ length: 16 }, (_, index) => ({ name: `sv-${index}`, urls: [] }))
  const kept = {
    version: 1,
    network: 'remote',
    agreedAt: new Date().toISOString(),
    dso: 'DSO',
    synchronizer: 's',
  }
  const folder = configFolder({ 'roster.json': JSON.stringify({ ...kept, members }) })
  const mainnet = { NETWORK: 'mainnet', SCAN_ROSTER_FILE: join(folder.cwd, 'roster.json') }
  expect(await thresholdIn(mainnet)).toBe(
    'threshold  6 of 16 (f+1), as the roster file says: up to 5 may lie or fail',
  )
  const tooHigh = await check({ ...mainnet, SCAN_THRESHOLD: '17' })
  expect(tooHigh.code).toBe(78)
  expect(tooHigh.err).toContainEqual(
    expect.stringContaining(
      'scanClient.threshold must be at most the number of votes in the roster, 16, not 17',
    ),
  )
  const single = { NETWORK: 'remote', SCAN_TYPE: 'trust-single', SCAN_SEED_URLS: 'https://a.example' }
  expect(await thresholdIn(single)).toBe('threshold  none: one scan is trusted alone')
})

test('options without effect are left out, and named at the start', async () => {
  const remote = await check({ NODE_CONFIG_ENV: 'mainnet' })
  expect(remote.out.filter((line) => /^(?:localnet|traces|mirror\.max)/.test(line))).toEqual([])
  expect(remote.out).toContain('mirror.level: off')
  expect(remote.out).toContainEqual(
    expect.stringMatching(/^no effect {2}localnet, scanClient\.svNames, .*: left out below$/),
  )
  const mirrored = await check({ NODE_CONFIG_ENV: 'mainnet', MIRROR_LEVEL: 'bindings' })
  expect(mirrored.out).toContain('mirror.maxEntries: 200000')
  expect((await check({})).out).toContain('localnet.superValidators: 4')
})

test('options of single reads are named by their reads', async () => {
  const { out } = await check({
    NODE_CONFIG: JSON.stringify({
      scanClient: { thresholds: { getDsoPartyId: '2f+1' } },
      cache: { times: { getAnsRules: { fresh: '1500ms', absent: '0s' } } },
    }),
  })
  expect(out.filter((line) => /thresholds|times/.test(line))).toEqual([
    'scanClient.thresholds.getDsoPartyId: 2f+1',
    'cache.times.getAnsRules.fresh: 1500ms',
    'cache.times.getAnsRules.absent: 0s',
  ])
})

test('options of a read that does not exist are refused', async () => {
  const { code, err } = await check({
    NODE_CONFIG: JSON.stringify({ scanClient: { thresholds: { getDsoParty: '2f+1' } } }),
  })
  expect(code).toBe(78)
  expect(err).toContainEqual(
    expect.stringContaining('scanClient.thresholds.getDsoParty: unknown key; did you mean'),
  )
})

test('no secret is printed', async () => {
  const secret = 'hunter2'
  const { code, out, err } = await check({
    REDIS_URL: `redis+sentinel://user:${secret}@redis.example:26379/main?sentinelPassword=${secret}`,
    REDIS_CACHE_SECRET: secret,
    AUTH_UNSAFE_SECRET: secret,
  })
  expect(code).toBe(0)
  expect([...out, ...err].join('\n')).not.toContain(secret)
  expect(out).toEqual(
    expect.arrayContaining([
      'cache.redis.url: redis+sentinel://***@redis.example:26379/main?sentinelPassword=***',
      'cache.redis.secret: (set)',
      'auth.unsafeSecret: (set)',
    ]),
  )
})

test('warnings are printed, and do not stop the command', async () => {
  const { code, err } = await check({ LOCALNET_SUPER_VALIDATORS: '1' })
  expect({ code, err }).toEqual({
    code: 0,
    err: [
      'warning: answers are not protected against one super validator that lies: that takes at least 4 voters, and there are 1',
    ],
  })
})

test('every problem is printed on standard error, and the command ends with 78', async () => {
  const { code, out, err } = await check({ HTTP_PORT: 'x', NETWORK: 'remote', SCAN_TYPE: 'trust-single' })
  expect({ code, out }).toEqual({ code: 78, out: [] })
  expect(err).toEqual([
    'warning: scanClient.scanType is trust-single: whatever that one scan says is believed',
    'http.port must be a whole number from 0 to 65535, not "x" (in HTTP_PORT)',
    'scanClient.seedUrls must name exactly one scan where scanClient.scanType is trust-single, not 0',
  ])
})

test('a seed that this configuration never lets the daemon ask is pointed out', async () => {
  const urls = ['https://127.0.0.1:9', ...['a', 'b', 'c', 'd'].map((sv) => `https://${sv}.example`)]
  const remote = { NETWORK: 'remote', SCAN_SEED_URLS: urls.join() }
  expect(await check(remote)).toMatchObject({
    code: 0,
    err: [
      'warning: scanClient.seedUrls: https://127.0.0.1:9 is never asked: 127.0.0.1 is not public, and scanClient.allowPrivate is false',
    ],
  })
  expect((await check({ ...remote, SCAN_ALLOW_PRIVATE: 'true' })).err).toEqual([])
})

test('scripts get one line of JSON', async () => {
  const usable = await check({ NODE_CONFIG_ENV: 'devnet' }, true)
  expect(usable).toMatchObject({ code: 0, err: [] })
  expect(JSON.parse(usable.out.join(' '))).toMatchObject({
    ok: true,
    options: { network: 'devnet', 'http.port': '8080' },
    network: { name: 'devnet', chosenBy: 'NODE_CONFIG_ENV' },
    threshold: { configured: 'f+1', counts: 'seeds' },
    withoutEffect: expect.arrayContaining(['localnet']),
    files: expect.arrayContaining([`${packageDir}config/devnet.yaml`]),
  })
  const unusable = await check({ HTTP_PORT: 'x' }, true)
  expect(unusable).toMatchObject({ code: 78, err: [] })
  expect(JSON.parse(unusable.out.join(' '))).toMatchObject({
    ok: false,
    problems: ['http.port must be a whole number from 0 to 65535, not "x" (in HTTP_PORT)'],
  })
})

test.each([
  ['HTTP_HOST', 'http.host', 'nowhere.invalid', 'getaddrinfo ENOTFOUND nowhere.invalid'],
  [
    'OPERATIONS_HOST',
    'operations.host',
    '203.0.113.1',
    'listen EADDRNOTAVAIL: address not available 203.0.113.1',
  ],
  ['HTTP_HOST', 'http.host', 'fe80::1%nolink', 'listen EINVAL: invalid argument fe80::1%nolink'],
])(
  '%s, an address that this machine does not have, is a problem of %s: %s',
  async (variable, option, host, why) => {
    const { code, err } = await check({ [variable]: host, HTTP_PORT: '0', OPERATIONS_PORT: '0' })
    expect({ code, err: err.slice(-1) }).toEqual({
      code: 78,
      err: [`${why}; ${option} (${variable}) sets this address`],
    })
  },
)

test('a port that a daemon uses now is no problem', async () => {
  using server = await onLoopback(createServer())
  expect(await check({ HTTP_PORT: String(server.port) })).toMatchObject({ code: 0, err: [] })
})

const fileOptions = [
  ['guard.file (GUARD_FILE)', 78, (file: string) => ({ GUARD_FILE: file })],
  ['receipts.keyFile (RECEIPTS_KEY_FILE)', 78, (file: string) => ({ RECEIPTS_KEY_FILE: file })],
  ['ledger.file (LEDGER_FILE)', 78, (file: string) => ({ LEDGER_FILE: file })],
  ['mirror.file (MIRROR_FILE)', 0, (file: string) => ({ MIRROR_LEVEL: 'bindings', MIRROR_FILE: file })],
  ['scanClient.rosterFile (SCAN_ROSTER_FILE)', 0, (file: string) => ({ SCAN_ROSTER_FILE: file })],
] as const

test.each(fileOptions)(
  '%s in a folder that cannot hold it is reported as at the start, with exit code %d',
  async (option, code, env) => {
    const folder = configFolder({ 'a-file': '' })
    const told = async (path: string) => {
      const found = await check(env(join(folder.cwd, path)))
      return { code: found.code, err: found.err.map((line) => line.replace('warning: ', '').split(';')[0]) }
    }
    expect(await told('no/such/x')).toEqual({
      code,
      err: [`${option} cannot be used: there is no folder ${folder.cwd}/no/such`],
    })
    expect(await told('a-file/x')).toEqual({
      code,
      err: [`${option} cannot be used: ${folder.cwd}/a-file is not a folder`],
    })
    expect(await told('x')).toEqual({ code: 0, err: [] })
    expect(await readdir(folder.cwd)).toEqual(['a-file'])
    await symlink('loop', join(folder.cwd, 'loop'))
    for (const path of ['loop', 'loop/x'])
      expect(await told(path)).toEqual({
        code,
        err: [expect.stringMatching(`: ${folder.cwd}/${path} is a loop of symbolic links$`)],
      })
  },
)

test('files that this configuration does not use are not checked', async () => {
  const nowhere = '/no/such/folder/x'
  const { code, err } = await check({ MIRROR_FILE: nowhere, LEDGER_DRIVER: 'none', LEDGER_FILE: nowhere })
  const unused = 'warning: ledger.file is used by embedded only, and ledger.driver is none'
  expect({ code, err }).toEqual({ code: 0, err: [unused] })
})

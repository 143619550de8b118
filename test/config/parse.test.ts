import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listenHost } from '../../src/base/config/kinds.ts'
import { parseConfig, retiredOptions } from '../../src/base/config/parse.ts'
import { knownKeys } from '../../src/base/config/rows.ts'
import { readIds } from '../../src/core/reads/endpoints.ts'
import { casesIn } from './cases.ts'
import { configOf, problemsOf, remote, warningsOf, written } from './config.ts'

const keysOfAll = knownKeys(readIds)

describe('what is not written', () => {
  test.each([{ 'auth.jwksUrl': 'https://idp.example/keys' }, { 'auth.audience': 'https://proxy.example' }])(
    'has no secret that everybody knows where it says whose tokens are good: %j',
    (values) => {
      expect(configOf(written(values)).auth.unsafeSecret).toBeUndefined()
      const secret = { 'auth.audience': 'https://proxy.example', 'auth.unsafeSecret': 'chosen' }
      expect(configOf(written(secret)).auth.unsafeSecret).toBe('chosen')
    },
  )

  test('has the stricter defaults of a remote network', () => {
    const { http, scanClient, names, auth, receipts } = configOf(remote)
    expect(receipts.sign).toBe('off')
    expect(configOf(written({ 'receipts.keyFile': 'receipts.pem' }, remote)).receipts.sign).toBe('asked')
    expect(http.missesPerSecond).toBe(50)
    expect(scanClient).toMatchObject({ minimumVoters: 4, allowHttp: false, allowPrivate: false })
    expect(scanClient).toMatchObject({ asksPerSecond: 50, registryAsksPerMinute: 120 })
    expect(names.acronym).toBeUndefined()
    expect(auth.unsafeSecret).toBeUndefined()
  })

  test.each([
    [
      'trust-single',
      { 'scanClient.scanType': 'trust-single', 'scanClient.seedUrls': ['https://a.example'] },
      1,
    ],
    ['two trusted names', { 'scanClient.scanType': 'bft-custom', 'scanClient.svNames': ['A', 'B'] }, 2],
    [
      'three seeds that are the roster',
      { 'scanClient.discover': false, 'scanClient.seedUrls': threeSeeds() },
      3,
    ],
  ])('needs no more voters than there are: %s', (_, values, voters) => {
    expect(configOf(written(values, remote)).scanClient.minimumVoters).toBe(voters)
  })

  test('is what null says too', () => {
    const seeds = ['https://a.example']
    const over = {
      network: 'remote',
      scanClient: { seedUrls: seeds, operators: { a: ['.a.example'], b: null }, deadline: null },
    }
    expect(configOf(over).scanClient).toMatchObject({ operators: { a: ['.a.example'] }, deadlineMs: 15_000 })
  })
})

const duration = (least: string) => `a duration from ${least} to 24d with its unit, such as 250ms, 5s or 10m`
const size = 'a size above 0 with its unit, such as 512B, 64KiB or 32MiB, or a number of bytes'
const threshold = 'f+1, 2f+1 or a whole number of at least 1'
const version = 'a version of the JSON Ledger API from 3.3 on, such as 3.4.12'

const { values: wrongValues = [] } = casesIn(`
values
  localnet network: mainet
    network must be one of localnet, remote, mainnet, testnet, devnet, not "mainet"; did you mean mainnet?
  localnet scanClient.httpsProxy: "socks5://user:secret@proxy"
    scanClient.httpsProxy must be the http or https URL of a proxy, such as http://user:password@proxy.example.org:3128, not what is set
  localnet scanClient.svNames: [A, 5]
    scanClient.svNames[1] must be text, not 5
  localnet mirror.packages: [0.1.25, "0.1"]
    mirror.packages[1] must be the version of a Daml package, such as 0.1.25, not "0.1"
  localnet scanClient.operators: { a: [] }
    scanClient.operators.a must be a list of at least one member, such as [.example.org], not []
  localnet scanClient.operators: { mpch: .mpch.io }
    scanClient.operators.mpch must be a list of at least one member, such as [.example.org], not ".mpch.io"
  localnet scanClient.operators: { mpch: ["*.mpch.io"] }
    scanClient.operators.mpch[0] must be .mpch.io without the *, not "*.mpch.io"
  localnet auth.unsafeSecret: 1234
    auth.unsafeSecret must be text, not what is set
`)

describe('what is written', () => {
  test.each([
    ['http.port', 0, 'http.port', 0],
    ['http.shutdownDelay', '1.5s', 'http.shutdownDelayMs', 1_500],
    ['http.missesPerSecond', 0.5, 'http.missesPerSecond', 0.5],
    ['http.missesPerSecond', 'none', 'http.missesPerSecond', undefined],
    ['scanClient.asksPerSecond', 'none', 'scanClient.asksPerSecond', undefined],
    ['scanClient.registryAsksPerMinute', 60, 'scanClient.registryAsksPerMinute', 60],
    ['scanClient.httpsProxy', 'proxy:3128', 'scanClient.httpsProxy', 'http://proxy:3128/'],
    ['scanClient.httpsProxy', 'https://a:b%40@p', 'scanClient.httpsProxy', 'https://a:b%40@p/'],
    ['scanClient.threshold', '2f+1', 'scanClient.threshold', '2f+1'],
    ['scanClient.threshold', 3, 'scanClient.threshold', 3],
    ['ledger.version', '3.4.12', 'ledger.version', '3.4.12'],
    ['ledger.version', '3.10.0-SNAPSHOT', 'ledger.version', '3.10.0-SNAPSHOT'],
    ['scanClient.thresholds.getDsoPartyId', '2f+1', 'scanClient.thresholds', { getDsoPartyId: '2f+1' }],
    ['scanClient.absentTexts.getAnsRules', ['none'], 'scanClient.absentTexts', { getAnsRules: ['none'] }],
    ['scanClient.maxResponseBytes', '64KiB', 'scanClient.maxResponseBytes', 65_536],
    ['scanClient.maxResponseBytes', 1_000, 'scanClient.maxResponseBytes', 1_000],
    ['scanClient.dsoPartyId', 'DSO::1220abcd', 'scanClient.dsoPartyId', 'DSO::1220abcd'],
    ['scanClient.rosterMaxAge', '30d', 'scanClient.rosterMaxAgeMs', 30 * 86_400_000],
    ['cache.times.getAnsRules.absent', '2s', 'cache.times', { getAnsRules: { absentMs: 2_000 } }],
    ['cache.maxBytes', ' 1048576 ', 'cache.maxBytes', 1_048_576],
  ])('%s: %j is %s = %j', (key, value, read, expected) => {
    expect(at(configOf(written({ [key]: value })), read)).toEqual(expected)
  })

  test.each([
    'rediss://:secret@redis.example:6380/2',
    'redis+sentinel://a:26379,b:26379/main',
    'rediss+cluster://u:p%40@a,[::1]:7000',
  ])('%s is a Redis', (url) => {
    expect(configOf(written({ 'cache.redis.url': url })).cache.redis).toEqual({ url })
  })

  test.each([
    ['https://Scan.Example', 'https://scan.example'],
    ['https://scan.example/', 'https://scan.example'],
    ['https://scan.example:443/api/scan', 'https://scan.example'],
    ['https://scan.example:8443/api/scan/', 'https://scan.example:8443'],
  ])('a seed %s is the scan root %s', (given, url) => {
    const values = { network: 'remote', 'scanClient.seedUrls': [given] }
    expect(configOf(written(values)).scanClient.seedUrls).toEqual([url])
  })

  test('cannot be changed afterwards', () => {
    const seeds = configOf(remote).scanClient.seedUrls as string[]
    expect(() => seeds.push('https://evil.example')).toThrow(TypeError)
  })

  test.each([
    ['http', 8080, 'a section with keys of its own'],
    ['http.host', '', listenHost.mustBe],
    ['http.host', '[::1]:80', listenHost.mustBe],
    ['http.host', '0.0.0.0:80', listenHost.mustBe],
    ['http.host', 'http://a', listenHost.mustBe],
    ['http.host', '[127.0.0.1]', listenHost.mustBe],
    ['http.host', 'a b', listenHost.mustBe],
    ['http.port', '8080', 'a whole number from 0 to 65535 without quotes'],
    ['http.port', 65_536, 'a whole number from 0 to 65535'],
    ['http.port', 80.5, 'a whole number from 0 to 65535'],
    ['http.missesPerSecond', 0, 'a number above 0, or none'],
    ['scanClient.asksPerSecond', 9, 'a whole number of at least 10, or none'],
    ['http.shutdownDelay', 5, duration('0s')],
    ['scanClient.deadline', '5 s', duration('10ms')],
    ['scanClient.refreshInterval', '30d', duration('1s')],
    ['cache.maxBytes', '64MB', size],
    ['cache.maxBytes', '0B', size],
    ['scanClient.threshold', 0, threshold],
    ['scanClient.threshold', 1.5, threshold],
    ['scanClient.threshold', 'most', threshold],
    ['scanClient.discover', 'yes', 'true or false'],
    ['ledger.version', '3.4', version],
    ['ledger.version', '3.2.1', version],
    ['ledger.version', '4.0.0', version],
    ['ledger.version', 'v3.4.12', version],
    ['ledger.version', 3.4, version],
    ['scanClient.svNames', 'A,B', 'a list, each item text'],
    [
      'cache.redis.url',
      'redis://redis.example:6379/seven',
      'redis://host:6379/0 where a database is chosen: only a number may follow the /',
    ],
    [
      'cache.redis.url',
      'redis://redis.example:6379/0?prefix=op:',
      'redis://host:6379 without a query: keys have no prefix to set',
    ],
    ['scanClient.operators', ['a'], 'a map from each operator to a list of at least one member'],
    ['scanClient.dsoPartyId', 'DSO', 'a party id, such as DSO::1220...'],
    ['names.acronym', '.cns', 'lower case letters and digits'],
    ['auth.jwksUrl', 'keys.json', 'an http or https URL without credentials'],
    ['traces.samplerRatio', 1.5, 'a number from 0 to 1'],
    [
      'traces.sampler',
      'xray',
      'one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio',
    ],
  ])('%s: %j causes one sentence, which says that it must be %s', (key, value, mustBe) => {
    const problem = `${key} must be ${mustBe}, not ${JSON.stringify(value)}`
    expect(problemsOf(written({ [key]: value }))).toEqual([problem])
  })

  test('causes one sentence for each value that is wrong', () => {
    for (const { given, said } of wrongValues) expect(problemsOf(given)).toEqual(said)
  })

  test.each(
    `scan.example ftp://scan.example https:// https://user@scan.example
  https://:password@scan.example https://scan.example/prefix https://scan.example/?v=1
  https://scan.example/#top`.split(/\s+/),
  )('%s is no seed', (url) => {
    expect(problemsOf(written({ 'scanClient.seedUrls': [url] }))).toEqual([
      expect.stringMatching(/^scanClient\.seedUrls\[0\] must be the http or https root of a scan/),
    ])
  })

  test.each([
    ...`http://redis.example redis:// redis.example 127.0.0.1:6379 /run/redis.sock redis://a,b
  redis://a:70000 redis://a/db redis://:%ff@a redis+sentinel://a,b
  redis+sentinel://a/group?role=slave redis+cluster://a/1`.split(/\s+/),
    'redis://a b',
  ])('%s is no Redis', (url) => {
    expect(problemsOf(written({ 'cache.redis.url': url }))).toEqual([
      expect.stringMatching(/^cache\.redis\.url must be/),
    ])
  })

  test('is never printed with its credentials', () => {
    const given = {
      scanClient: { seedUrls: ['https://user:hunter2@scan.example'] },
      cache: { redis: { url: 'http://:hunter2@redis.example/?password=hunter2', secret: { hunter2: true } } },
      auth: { unsafeSecret: ['hunter2'], jwksUrl: 'https://user:hunter2@keys.example' },
    }
    const problems = problemsOf(given)
    expect(problems).toHaveLength(5)
    expect(problems.join()).not.toContain('hunter2')
  })

  test.each([[5], ['text'], [['list']], [true]])('is refused where it is %j', (given) => {
    expect(problemsOf(given)).toEqual([
      `the configuration must be a section with keys of its own, not ${JSON.stringify(given)}`,
    ])
  })
})

describe('an unknown key', () => {
  test.each([
    ['scanClient.seedUrl', 'scanClient.seedUrls'],
    ['scanClient.SEEDURLS', 'scanClient.seedUrls'],
    ['scanClient.requestTimeoutMs', 'scanClient.requestTimeout'],
    ['scanclient', 'scanClient'],
    ['seedUrls', 'scanClient.seedUrls'],
    ['redis', 'cache.redis'],
    ['http.missesPerSeconds', 'http.missesPerSecond'],
    ['scanClient.tresholds', 'scanClient.thresholds'],
    ['cache.times.lookupAnsEntryByNam', 'cache.times.lookupAnsEntryByName'],
    ['cache.times.getAnsRules.freshh', 'cache.times.getAnsRules.fresh'],
    ['scanClient.thresholds.getDsoParty', 'scanClient.thresholds.getDsoPartyId'],
    ['auth.jwksURI', 'auth.jwksUrl'],
  ])('%s is refused with the nearest known one, %s', (key, nearest) => {
    expect(problemsOf(written({ [key]: {} }))).toEqual([`${key}: unknown key; did you mean ${nearest}?`])
  })

  test('is not taken for a key that is not similar', () => {
    expect(problemsOf({ cache: { foo: 1 } })).toEqual(['cache.foo: unknown key'])
  })

  test('is taken for no key that does not exist, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((key) => !keysOfAll.includes(key) && key !== '__proto__'),
        (key) => {
          const [problem] = problemsOf({ [key]: 1 })
          const [, meant] = /; did you mean (.*?)\?$/s.exec(problem ?? '') ?? []
          expect(['', ...keysOfAll]).toContain(meant ?? '')
        },
      ),
    )
  })

  test('is quoted where it is a whole path', () => {
    expect(problemsOf({ 'scanClient.threshold': 2 })).toEqual([
      '"scanClient.threshold": unknown key; it must be nested: threshold below scanClient',
    ])
    expect(problemsOf({ cache: { 'redis.url': 'x' } })).toEqual([
      'cache."redis.url": unknown key; it must be nested: url below redis below cache',
    ])
    expect(problemsOf({ 'http.prt': 1 })).toEqual(['"http.prt": unknown key; did you mean http.port?'])
  })
})

test('nothing that is written makes it throw', () => {
  const values = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('5s', '1MiB', 'f+1', 'https://a.example', 3, null, [], {}),
  )
  const keys = fc.constantFrom(...keysOfAll, 'unknown', 'http.unknown')
  fc.assert(
    fc.property(fc.dictionary(keys, values, { maxKeys: 8 }), fc.boolean(), (given, production) => {
      const nested = nestedWherePossible(given)
      const result = parseConfig(nested, { production, reads: readIds })
      expect(result.ok || result.problems.length > 0).toBe(true)
    }),
  )
})

function nestedWherePossible(given: Readonly<Record<string, unknown>>): object {
  let tree = {}
  for (const [key, value] of Object.entries(given)) {
    try {
      tree = written({ [key]: value }, tree)
    } catch {
      // An earlier key has put a value where this key needs a section, so this key is left out.
    }
  }
  return tree
}

function threeSeeds(): readonly string[] {
  return ['https://a.example', 'https://b.example', 'https://c.example']
}

function at(tree: unknown, key: string): unknown {
  return key.split('.').reduce((inner, part) => (inner as Record<string, unknown>)[part], tree)
}

test.each(Object.entries(retiredOptions))(
  'the retired option %s has no effect but one warning',
  (key, why) => {
    for (const value of [true, 'x', 1, { a: ['b'] }]) {
      expect(warningsOf(written({ [key]: value }))).toEqual([`${key} has no effect any more: ${why}`])
      expect(configOf(written({ [key]: value }))).toEqual(configOf({}))
    }
  },
)

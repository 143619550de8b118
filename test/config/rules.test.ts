import { describe, expect, test } from 'vitest'
import { knownKeys } from '../../src/config/rows.ts'
import { problemRules, warningRules } from '../../src/config/rules.ts'
import { problemsOf, remote, warningsOf, written } from './config.ts'

type Values = Readonly<Record<string, unknown>>

interface Case {
  readonly rule: string
  readonly also?: string
  readonly over?: object
  readonly values: Values
  readonly said: readonly string[]
}

const thirteenSeeds = {
  network: 'remote',
  scanClient: { seedUrls: Array.from({ length: 13 }, (_, index) => `https://sv-${index}.example`) },
}

const bySeeds = 'a threshold that is unsafe, or out of reach, by the number of seeds'

const custom = { 'scanClient.scanType': 'bft-custom', 'scanClient.svNames': ['A', 'B', 'C', 'D'] }

const problems: readonly Case[] = [
  {
    rule: 'a remote network needs a seed',
    values: { network: 'remote' },
    said: ['scanClient.seedUrls must name at least one scan where network is remote'],
  },
  { rule: 'a remote network needs a seed', also: 'it has some', over: remote, values: {}, said: [] },
  {
    rule: 'a daemon reads from the network that its ledger belongs to',
    values: { 'scanClient.seedUrls': ['http://127.0.0.1:9000'] },
    said: [
      'scanClient.seedUrls names scans although network is localnet: the daemon would register names on its own localnet and read from those scans; set network to remote (NETWORK=remote) to ask them',
    ],
  },
  {
    rule: 'a daemon reads from the network that its ledger belongs to',
    also: 'it has no ledger',
    values: { 'scanClient.seedUrls': ['http://127.0.0.1:9000'], 'ledger.driver': 'none' },
    said: [],
  },
  {
    rule: 'the embedded ledger is for localnet',
    over: remote,
    values: { 'ledger.driver': 'embedded' },
    said: ['ledger.driver must not be embedded where network is remote: nobody else would know of its names'],
  },
  {
    rule: 'trust-single has exactly one seed',
    over: remote,
    values: { 'scanClient.scanType': 'trust-single' },
    said: ['scanClient.seedUrls must name exactly one scan where scanClient.scanType is trust-single, not 4'],
  },
  {
    rule: 'trust-single has exactly one seed',
    also: 'none on remote',
    values: { network: 'remote', 'scanClient.scanType': 'trust-single' },
    said: ['scanClient.seedUrls must name exactly one scan where scanClient.scanType is trust-single, not 0'],
  },
  {
    rule: 'trust-single has exactly one seed',
    also: 'the first node on localnet',
    values: { 'scanClient.scanType': 'trust-single' },
    said: [],
  },
  {
    rule: 'bft-custom needs the names it trusts',
    over: remote,
    values: { 'scanClient.scanType': 'bft-custom' },
    said: [
      'scanClient.svNames must name at least one super validator where scanClient.scanType is bft-custom',
    ],
  },
  {
    rule: 'bft-custom finds its super validators by discovery',
    over: remote,
    values: { ...custom, 'scanClient.discover': false },
    said: [
      'scanClient.discover must be true where scanClient.scanType is bft-custom: names are found in the list of all scans',
    ],
  },
  {
    rule: 'no super validator is counted twice',
    over: remote,
    values: {
      'scanClient.scanType': 'bft-custom',
      'scanClient.svNames': ['A', 'B', 'A', 'A'],
      'scanClient.seedUrls': ['https://a.example', 'https://A.example:443/api/scan/'],
    },
    said: [
      'scanClient.seedUrls names https://a.example more than once',
      'scanClient.svNames names A more than once',
    ],
  },
  {
    rule: 'seeds are https unless plain http is allowed',
    over: remote,
    values: { 'scanClient.seedUrls': ['http://a.example', 'https://b.example', 'http://c.example'] },
    said: [
      'scanClient.seedUrls must be https, not http://a.example, unless scanClient.allowHttp is true',
      'scanClient.seedUrls must be https, not http://c.example, unless scanClient.allowHttp is true',
    ],
  },
  {
    rule: 'seeds are https unless plain http is allowed',
    also: 'it is',
    over: remote,
    values: { 'scanClient.seedUrls': ['http://a.example'], 'scanClient.allowHttp': true },
    said: [],
  },
  {
    rule: 'a threshold is within the number of voters',
    also: 'of the localnet',
    values: { 'scanClient.threshold': 5 },
    said: ['scanClient.threshold must be at most the number of voters, 4, not 5'],
  },
  {
    rule: 'a threshold is within the number of voters',
    also: 'of the trusted names, for one read',
    over: remote,
    values: { ...custom, 'scanClient.thresholds.getDsoPartyId': 5 },
    said: ['scanClient.thresholds.getDsoPartyId must be at most the number of voters, 4, not 5'],
  },
  {
    rule: 'a threshold is within the number of voters',
    also: 'of the seeds that are the roster',
    over: remote,
    values: { 'scanClient.discover': false, 'scanClient.threshold': 6 },
    said: ['scanClient.threshold must be at most the number of voters, 4, not 6'],
  },
  {
    rule: 'a threshold is within the number of voters',
    also: 'which discovery alone knows',
    over: remote,
    values: { 'scanClient.threshold': 6 },
    said: [],
  },
  {
    rule: "a read's own threshold is never below the general one",
    also: 'as numbers, n unknown',
    over: remote,
    values: { 'scanClient.threshold': 6, 'scanClient.thresholds.getAnsRules': 5 },
    said: ['scanClient.thresholds.getAnsRules (5) must not be below scanClient.threshold (6)'],
  },
  {
    rule: "a read's own threshold is never below the general one",
    also: 'as words, n unknown',
    over: remote,
    values: { 'scanClient.threshold': '2f+1', 'scanClient.thresholds.getAnsRules': 'f+1' },
    said: ['scanClient.thresholds.getAnsRules (f+1) must not be below scanClient.threshold (2f+1)'],
  },
  {
    rule: "a read's own threshold is never below the general one",
    also: 'as a number and a word, n unknown',
    over: remote,
    values: { 'scanClient.thresholds.getAnsRules': 7 },
    said: [
      'scanClient.thresholds.getAnsRules (7) cannot be compared with scanClient.threshold (f+1) before the number of voters is known: give both as words or both as numbers',
    ],
  },
  {
    rule: "a read's own threshold is never below the general one",
    also: 'as a number and a word, n known',
    values: {
      'localnet.superValidators': 7,
      'scanClient.threshold': '2f+1',
      'scanClient.thresholds.getAnsRules': 4,
      'scanClient.thresholds.getDsoPartyId': 5,
    },
    said: ['scanClient.thresholds.getAnsRules (4) must not be below scanClient.threshold (2f+1)'],
  },
  {
    rule: "a read's own threshold is never below the general one",
    also: 'nor is it here',
    over: remote,
    values: { 'scanClient.thresholds.getAnsRules': '2f+1', 'scanClient.thresholds.getDsoPartyId': 'f+1' },
    said: [],
  },
  {
    rule: 'the voters that a roster needs exist',
    values: { 'scanClient.minimumVoters': 5 },
    said: ['scanClient.minimumVoters must be at most the number of voters, 4, not 5'],
  },
  {
    rule: 'no super validator has two operators',
    also: 'by the same member',
    values: {
      'scanClient.operators': { one: ['A', '.a.example'], two: ['.a.example'], three: ['.a.example'] },
    },
    said: ['scanClient.operators gives .a.example to one and two and three'],
  },
  {
    rule: 'no super validator has two operators',
    also: 'by two members that match one seed',
    over: remote,
    values: { 'scanClient.operators': { one: ['.example'], two: ['b.example'] } },
    said: ['scanClient.operators gives b.example to one (.example) and two (b.example)'],
  },
  {
    rule: 'no super validator has two operators',
    also: 'one operator may claim it twice',
    over: remote,
    values: { 'scanClient.operators': { one: ['.example', 'b.example'] } },
    said: [],
  },
  {
    rule: 'a read lasts at least as long as one ask',
    values: { 'scanClient.deadline': '4s' },
    said: ['scanClient.deadline (4s) must not be shorter than scanClient.requestTimeout (5s)'],
  },
  {
    rule: 'a read lasts at least as long as one ask',
    also: 'it does',
    values: { 'scanClient.deadline': '5s' },
    said: [],
  },
  {
    rule: 'one body fits into what may be in memory',
    values: { 'scanClient.maxBufferedBytes': '1MiB', 'scanClient.maxResponseBytes': '2MiB' },
    said: ['scanClient.maxBufferedBytes (1MiB) must not be less than scanClient.maxResponseBytes (2MiB)'],
  },
  {
    rule: 'an answer is not stale before it is no longer fresh',
    values: {
      'cache.times.getAnsRules': { fresh: '5s', stale: '4s' },
      'cache.times.getDsoPartyId': { stale: '4s' },
    },
    said: ['cache.times.getAnsRules.stale (4s) must not be shorter than cache.times.getAnsRules.fresh (5s)'],
  },
  {
    rule: 'the two addresses differ',
    values: { 'operations.port': 8080 },
    said: ['operations.port must not be 8080, which is http.port at the same address'],
  },
  {
    rule: 'the two addresses differ',
    also: 'free ports always do',
    values: { 'http.port': 0, 'operations.port': 0 },
    said: [],
  },
  {
    rule: 'the localnet has ports for all its nodes',
    values: { 'localnet.port': 65_533 },
    said: ['localnet.port must leave room for 4 ports up to 65535, not 65533'],
  },
  {
    rule: 'the localnet has ports for all its nodes',
    also: 'and one for the control address',
    values: { 'localnet.port': 9_000, 'localnet.controlPort': 9_003 },
    said: ["localnet.controlPort must not be 9003, one of the scan nodes' ports 9000 to 9003"],
  },
  {
    rule: 'the unsafe secret stays on the localnet',
    over: remote,
    values: { 'auth.unsafeSecret': 'hunter2' },
    said: [
      'auth.unsafeSecret must not be set where network is remote: whoever knows it can make tokens for anyone',
    ],
  },
  {
    rule: 'published keys and a shared secret are not both good',
    values: { 'auth.unsafeSecret': 'hunter2', 'auth.jwksUrl': 'https://idp.example/keys' },
    said: [
      'auth.unsafeSecret must not be set beside auth.jwksUrl: whoever knows it can make tokens for anyone',
    ],
  },
  {
    rule: 'bearer on a remote network needs keys and an audience',
    over: remote,
    values: { 'auth.scanProxy': 'bearer' },
    said: [
      'auth.jwksUrl must be set where auth.scanProxy is bearer and network is remote',
      'auth.audience must be set where auth.scanProxy is bearer and network is remote',
    ],
  },
  {
    rule: 'bearer on a remote network needs keys and an audience',
    also: 'it has them',
    over: remote,
    values: {
      'auth.scanProxy': 'bearer',
      'auth.jwksUrl': 'https://keys.example/jwks.json',
      'auth.audience': 'https://proxy.example',
    },
    said: [],
  },
  {
    rule: 'bearer on a remote network needs keys and an audience',
    also: 'localnet has a secret',
    values: { 'auth.scanProxy': 'bearer' },
    said: [],
  },
  {
    rule: 'a participant is somewhere',
    values: { 'ledger.driver': 'participant' },
    said: ['ledger.url must be set where ledger.driver is participant'],
  },
  {
    rule: 'a ledger on a remote network needs keys and an audience',
    over: remote,
    values: { 'ledger.driver': 'participant', 'ledger.url': 'https://participant.example' },
    said: [
      'auth.jwksUrl must be set where ledger.driver is participant and network is remote',
      'auth.audience must be set where ledger.driver is participant and network is remote',
    ],
  },
  {
    rule: 'a ledger on a remote network needs keys and an audience',
    also: 'it has them',
    over: remote,
    values: {
      'ledger.driver': 'participant',
      'ledger.url': 'https://participant.example',
      'auth.jwksUrl': 'https://keys.example/jwks.json',
      'auth.audience': 'https://proxy.example',
    },
    said: [],
  },
  {
    rule: 'a ledger on a remote network needs keys and an audience',
    also: 'localnet has a secret',
    values: { 'ledger.driver': 'participant', 'ledger.url': 'http://127.0.0.1:7575' },
    said: [],
  },
  {
    rule: 'receipts on a remote network need a key',
    over: remote,
    values: { 'receipts.sign': 'always' },
    said: ['receipts.keyFile must be set where receipts.sign is always and network is remote'],
  },
]

const warnings: readonly Case[] = [
  {
    rule: 'trust in one scan',
    over: remote,
    values: { 'scanClient.scanType': 'trust-single', 'scanClient.seedUrls': ['https://a.example'] },
    said: ['scanClient.scanType is trust-single: whatever that one scan says is believed'],
  },
  {
    rule: 'a threshold that the tolerated number of liars can meet',
    values: {
      'localnet.superValidators': 7,
      'scanClient.threshold': 2,
      'scanClient.thresholds.getAnsRules': 3,
    },
    said: [
      'scanClient.threshold is 2, below f+1 = 3 of 7 voters: answers are not protected against 2 that lie together',
    ],
  },
  ...[1, 2, 4].map((threshold) => ({
    rule: bySeeds,
    also: `${threshold} of 13`,
    over: thirteenSeeds,
    values: { 'scanClient.threshold': threshold },
    said: [
      `scanClient.threshold is ${threshold}: 13 seeds are configured; f+1 of 13 is 5, so answers are not protected against 4 super validators that lie together`,
    ],
  })),
  ...[14, 99].map((threshold) => ({
    rule: bySeeds,
    also: `${threshold} of 13`,
    over: thirteenSeeds,
    values: { 'scanClient.threshold': threshold },
    said: [
      `scanClient.threshold is ${threshold}: 13 seeds are configured; f+1 of 13 is 5, so no answer can be agreed unless the roster has more super validators than that`,
    ],
  })),
  {
    rule: bySeeds,
    also: "a read's own threshold",
    over: thirteenSeeds,
    values: { 'scanClient.threshold': 5, 'scanClient.thresholds.getAnsRules': 14 },
    said: [
      'scanClient.thresholds.getAnsRules is 14: 13 seeds are configured; f+1 of 13 is 5, so no answer can be agreed unless the roster has more super validators than that',
    ],
  },
  ...[5, 13, 'f+1', '2f+1'].map((threshold) => ({
    rule: bySeeds,
    also: `${threshold} of 13 is safe`,
    over: thirteenSeeds,
    values: { 'scanClient.threshold': threshold },
    said: [],
  })),
  ...['0.0.0.0', '10.0.0.1', '::'].map((host) => ({
    rule: 'admin calls from other machines',
    also: host,
    values: { 'operations.admin': true, 'operations.host': host },
    said: [
      `operations.admin is true, and operations.host is ${host}: whoever reaches that address can change this daemon without a token`,
    ],
  })),
  ...['127.0.0.1', '::1', 'localhost'].map((host) => ({
    rule: 'admin calls from other machines',
    also: host,
    values: { 'operations.admin': true, 'operations.host': host },
    said: [],
  })),
  {
    rule: 'too few voters to tolerate one that lies',
    values: { 'localnet.superValidators': 3 },
    said: [
      'answers are not protected against one super validator that lies: that takes at least 4 voters, and there are 3',
    ],
  },
  {
    rule: 'a roster on the word of one seed',
    over: remote,
    values: { 'scanClient.seedUrls': ['https://a.example'] },
    said: [
      'scanClient.seedUrls names 1 of the at least 4 scans needed to check one seed by the others: the first roster is taken on the word of one seed',
    ],
  },
  {
    rule: 'a roster on the word of one seed',
    also: 'four check each other',
    over: remote,
    values: {},
    said: [],
  },
  {
    rule: 'an operator that no seed belongs to',
    over: remote,
    values: {
      'scanClient.threshold': 3,
      'scanClient.operators': { one: ['.a.example', 'B.example', 'c.example'], two: ['.example.org'] },
    },
    said: [
      "scanClient.operators.one names .a.example, which matches no seed's host: it counts only if it is the name or the host of a super validator that is discovered",
      "scanClient.operators.two names .example.org, which matches no seed's host: it counts only if it is the name or the host of a super validator that is discovered",
    ],
  },
  {
    rule: 'an operator that no seed belongs to',
    also: 'a trusted name is matched',
    over: remote,
    values: { ...custom, 'scanClient.operators': { one: ['A'] } },
    said: [],
  },
  {
    rule: 'an operator that decides alone',
    values: { 'scanClient.operators': { acme: ['sv-1', 'sv-2'] } },
    said: [
      'scanClient.operators.acme has 2 of 4 super validators, and 2 decide: answers are not protected against acme alone, because 3 operators tolerate none that lies; that takes at least 4',
    ],
  },
  {
    rule: 'an operator that decides alone',
    also: 'by the hosts of seeds',
    over: remote,
    values: { 'scanClient.operators': { acme: ['b.example', 'c.example', 'a.example', 'A.example'] } },
    said: [
      'scanClient.operators.acme has 3 of 4 super validators, and 2 decide: answers are not protected against acme alone, because 2 operators tolerate none that lies; that takes at least 4',
    ],
  },
  {
    rule: 'an operator that decides alone',
    also: 'the threshold takes two operators',
    values: { 'scanClient.threshold': '2f+1', 'scanClient.operators': { acme: ['sv-1', 'sv-2'] } },
    said: [],
  },
  {
    rule: 'an operator that decides alone',
    also: 'it has too few super validators',
    values: { 'scanClient.threshold': 3, 'scanClient.operators': { acme: ['sv-1', 'sv-2'] } },
    said: [],
  },
  {
    rule: 'an operator that decides alone',
    also: 'there are enough operators',
    values: { 'localnet.superValidators': 7, 'scanClient.operators': { acme: ['sv-1', 'sv-2', 'sv-3'] } },
    said: [],
  },
  {
    rule: 'names that nothing reads',
    over: remote,
    values: { 'scanClient.svNames': ['A'] },
    said: ['scanClient.svNames is used by bft-custom only, and scanClient.scanType is bft'],
  },
  {
    rule: 'a localnet that asks strangers',
    over: { ledger: { driver: 'none' } },
    values: { 'scanClient.seedUrls': ['http://127.0.0.1:9000', 'http://[::1]:9000', 'https://a.example'] },
    said: [
      'scanClient.seedUrls names https://a.example although network is localnet: set network to remote to ask a real network',
    ],
  },
  {
    rule: 'keys over plain http',
    over: remote,
    values: { 'auth.jwksUrl': 'http://keys.example/' },
    said: ['auth.jwksUrl is plain http: whoever is on the way can give their own keys'],
  },
  {
    rule: 'tokens over plain http',
    over: remote,
    values: {
      'ledger.driver': 'participant',
      'ledger.url': 'http://participant.example:7575',
      'auth.jwksUrl': 'https://keys.example/jwks.json',
      'auth.audience': 'https://proxy.example',
    },
    said: ['ledger.url is plain http: whoever is on the way can take the tokens of its users'],
  },
  {
    rule: 'a participant that nothing uses',
    over: remote,
    values: { 'ledger.url': 'https://participant.example' },
    said: ['ledger.url is used by participant only, and ledger.driver is none'],
  },
  {
    rule: 'a file of a ledger that is not there',
    over: remote,
    values: { 'ledger.file': 'names.sqlite' },
    said: ['ledger.file is used by embedded only, and ledger.driver is none'],
  },
  {
    rule: 'a key for a Redis that is not there',
    values: { 'cache.redis.secret': 'hunter2' },
    said: ['cache.redis.secret is used only where cache.redis.url is set'],
  },
  {
    rule: 'a Redis that is trusted with every answer',
    over: remote,
    values: { 'cache.redis.url': 'redis://redis:6379' },
    said: [
      'Redis is trusted with every answer: set cache.redis.secret (REDIS_CACHE_SECRET), the same at all daemons',
    ],
  },
  {
    rule: 'a Redis that is trusted with every answer',
    also: 'it has a secret',
    over: remote,
    values: { 'cache.redis.url': 'redis://redis:6379', 'cache.redis.secret': 'hunter2' },
    said: [],
  },
  {
    rule: 'a Redis that is trusted with every answer',
    also: 'on a localnet',
    values: { 'cache.redis.url': 'redis://redis:6379' },
    said: [],
  },
  {
    rule: 'a key that signs nothing',
    values: { 'receipts.keyFile': 'receipts.pem', 'receipts.sign': 'off' },
    said: ['receipts.keyFile is used only where receipts.sign is asked or always'],
  },
]

describe('a problem', () => {
  test.each(problems)('$rule ($also)', ({ over, values, said }) => {
    expect(problemsOf(written(values, over))).toEqual(said)
  })

  test.each([
    [
      {},
      { production: true },
      [
        'network must be set where NODE_ENV or NODE_CONFIG_ENV is production: mainnet, testnet, devnet, remote or localnet',
      ],
    ],
    [{ network: 'localnet' }, { production: true }, []],
    [{}, { production: false }, []],
  ])('in production the network is chosen, not assumed: %j, %j', (given, context, said) => {
    expect(problemsOf(given, context)).toEqual(said)
  })
})

describe('a warning', () => {
  test.each(warnings)('$rule ($also)', ({ over, values, said }) => {
    expect(problemsOf(written(values, over))).toEqual([])
    expect(warningsOf(written(values, over))).toEqual(said)
  })

  test('is also given where there are problems', () => {
    expect(warningsOf({ http: { port: -1 }, localnet: { superValidators: 1 } })).toHaveLength(1)
  })

  test('is not given for the defaults', () => {
    expect(warningsOf({})).toEqual([])
  })
})

test('every rule has a case that it says something to', () => {
  const said = [...problems, ...warnings].filter((each) => each.said.length > 0).map(({ rule }) => rule)
  const rules = [...problemRules, ...warningRules].map(({ name }) => name)
  expect(rules.filter((name) => !said.includes(name))).toEqual([
    'in production the network is chosen, not assumed',
  ])
})

test('every rule says which options it reads by keys that exist', () => {
  const reads = [...problemRules, ...warningRules].flatMap((rule) => rule.reads)
  expect(reads.filter((key) => !knownKeys.includes(key))).toEqual([])
})

import { describe, expect, test } from 'vitest'
import { problemRules, warningRules } from '../../src/base/config/rules.ts'
import { type Case, casesIn } from './cases.ts'
import { problemsOf, warningsOf } from './config.ts'

const problems = casesIn(`
a remote network needs a seed
  localnet network: remote
    scanClient.seedUrls must name at least one scan where network is remote
  remote
a daemon reads from the network that its ledger belongs to
  localnet scanClient.seedUrls: ["http://127.0.0.1:9000"]
    scanClient.seedUrls names scans although network is localnet: the daemon would register names on its own localnet and read from those scans; set network to remote (NETWORK=remote) to ask them
  localnet scanClient.seedUrls: ["http://127.0.0.1:9000"], ledger.driver: none
the embedded ledger is for localnet
  remote ledger.driver: embedded
    ledger.driver must not be embedded where network is remote: nobody else would know of its names
trust-single has exactly one seed
  remote scanClient.scanType: trust-single
    scanClient.seedUrls must name exactly one scan where scanClient.scanType is trust-single, not 4
  localnet network: remote, scanClient.scanType: trust-single
    scanClient.seedUrls must name exactly one scan where scanClient.scanType is trust-single, not 0
  localnet scanClient.scanType: trust-single
bft-custom finds the names it trusts by discovery
  remote scanClient.scanType: bft-custom
    scanClient.svNames must name at least one super validator where scanClient.scanType is bft-custom
  custom scanClient.discover: false
    scanClient.discover must be true where scanClient.scanType is bft-custom: names are found in the list of all scans
no super validator is counted twice
  remote scanClient.scanType: bft-custom, scanClient.svNames: [A, B, A, A], scanClient.seedUrls: ["https://a.example", "https://A.example:443/api/scan/"]
    scanClient.seedUrls names https://a.example more than once
    scanClient.svNames names A more than once
seeds are https unless plain http is allowed
  remote scanClient.seedUrls: ["http://a.example", "https://b.example", "http://c.example"]
    scanClient.seedUrls must be https, not http://a.example, unless scanClient.allowHttp is true
    scanClient.seedUrls must be https, not http://c.example, unless scanClient.allowHttp is true
  remote scanClient.seedUrls: ["http://a.example"], scanClient.allowHttp: true
a threshold is within the number of voters
  localnet scanClient.threshold: 5
    scanClient.threshold must be at most the number of voters, 4, not 5
  custom scanClient.thresholds.getDsoPartyId: 5
    scanClient.thresholds.getDsoPartyId must be at most the number of voters, 4, not 5
  remote scanClient.discover: false, scanClient.threshold: 6
    scanClient.threshold must be at most the number of voters, 4, not 6
  remote scanClient.threshold: 6
a read's own threshold is never below the general one
  remote scanClient.threshold: 6, scanClient.thresholds.getAnsRules: 5
    scanClient.thresholds.getAnsRules (5) must not be below scanClient.threshold (6)
  remote scanClient.threshold: 2f+1, scanClient.thresholds.getAnsRules: f+1
    scanClient.thresholds.getAnsRules (f+1) must not be below scanClient.threshold (2f+1)
  remote scanClient.thresholds.getAnsRules: 7
    scanClient.thresholds.getAnsRules (7) cannot be compared with scanClient.threshold (f+1) before the number of voters is known: give both as words or both as numbers
  localnet localnet.superValidators: 7, scanClient.threshold: 2f+1, scanClient.thresholds.getAnsRules: 4, scanClient.thresholds.getDsoPartyId: 5
    scanClient.thresholds.getAnsRules (4) must not be below scanClient.threshold (2f+1)
  remote scanClient.thresholds.getAnsRules: 2f+1, scanClient.thresholds.getDsoPartyId: f+1
the voters that a roster needs exist
  localnet scanClient.minimumVoters: 5
    scanClient.minimumVoters must be at most the number of voters, 4, not 5
no super validator has two operators
  localnet scanClient.operators: { one: [A, .a.example], two: [.a.example], three: [.a.example] }
    scanClient.operators gives .a.example to one and two and three
  remote scanClient.operators: { one: [.example], two: [b.example] }
    scanClient.operators gives b.example to one (.example) and two (b.example)
  remote scanClient.operators: { one: [.example, b.example] }
a read lasts at least as long as one ask
  localnet scanClient.deadline: 4s
    scanClient.deadline (4s) must not be shorter than scanClient.requestTimeout (5s)
  localnet scanClient.deadline: 5s
one body fits into what may be in memory
  localnet scanClient.maxBufferedBytes: 1MiB, scanClient.maxResponseBytes: 2MiB
    scanClient.maxBufferedBytes (1MiB) must not be less than scanClient.maxResponseBytes (2MiB)
an answer is not stale before it is no longer fresh
  localnet cache.times.getAnsRules: { fresh: 5s, stale: "4s" }, cache.times.getDsoPartyId: { stale: "4s" }
    cache.times.getAnsRules.stale (4s) must not be shorter than cache.times.getAnsRules.fresh (5s)
the two addresses differ
  localnet operations.port: 8080
    operations.port must not be 8080, which is http.port at the same address
  localnet http.port: 0, operations.port: 0
the localnet has ports for all its nodes
  localnet localnet.port: 65533
    localnet.port must leave room for 4 ports up to 65535, not 65533
  localnet localnet.port: 9000, localnet.controlPort: 9003
    localnet.controlPort must not be 9003, one of the scan nodes' ports 9000 to 9003
the unsafe secret stays on the localnet
  remote auth.unsafeSecret: hunter2
    auth.unsafeSecret must not be set where network is remote: whoever knows it can make tokens for anyone
  localnet auth.unsafeSecret: hunter2, auth.jwksUrl: "https://idp.example/keys"
    auth.unsafeSecret must not be set beside auth.jwksUrl: whoever knows it can make tokens for anyone
a participant is somewhere
  localnet ledger.driver: participant
    ledger.url must be set where ledger.driver is participant
tokens on a remote network need keys and an audience
  remote ledger.driver: participant, ledger.url: "https://participant.example"
    auth.jwksUrl must be set where ledger.driver is participant and network is remote
    auth.audience must be set where ledger.driver is participant and network is remote
  keyed ledger.driver: participant, ledger.url: "https://participant.example"
  localnet ledger.driver: participant, ledger.url: "http://127.0.0.1:7575"
  remote auth.scanProxy: bearer
    auth.jwksUrl must be set where auth.scanProxy is bearer and network is remote
    auth.audience must be set where auth.scanProxy is bearer and network is remote
  keyed auth.scanProxy: bearer
  localnet auth.scanProxy: bearer
receipts on a remote network need a key
  remote receipts.sign: always
    receipts.keyFile must be set where receipts.sign is always and network is remote
`)

const warnings = casesIn(`
trust in one scan
  remote scanClient.scanType: trust-single, scanClient.seedUrls: ["https://a.example"]
    scanClient.scanType is trust-single: whatever that one scan says is believed
a threshold that the tolerated number of liars can meet
  localnet localnet.superValidators: 7, scanClient.threshold: 2, scanClient.thresholds.getAnsRules: 3
    scanClient.threshold is 2, below f+1 = 3 of 7 voters: answers are not protected against 2 that lie together
a threshold that is unsafe, or out of reach, by the number of seeds
  thirteen scanClient.threshold: 1
    scanClient.threshold is 1: 13 seeds are configured; f+1 of 13 is 5, so answers are not protected against 4 super validators that lie together
  thirteen scanClient.threshold: 2
    scanClient.threshold is 2: 13 seeds are configured; f+1 of 13 is 5, so answers are not protected against 4 super validators that lie together
  thirteen scanClient.threshold: 4
    scanClient.threshold is 4: 13 seeds are configured; f+1 of 13 is 5, so answers are not protected against 4 super validators that lie together
  thirteen scanClient.threshold: 14
    scanClient.threshold is 14: 13 seeds are configured; f+1 of 13 is 5, so no answer can be agreed unless the roster has more super validators than that
  thirteen scanClient.threshold: 99
    scanClient.threshold is 99: 13 seeds are configured; f+1 of 13 is 5, so no answer can be agreed unless the roster has more super validators than that
  thirteen scanClient.threshold: 5, scanClient.thresholds.getAnsRules: 14
    scanClient.thresholds.getAnsRules is 14: 13 seeds are configured; f+1 of 13 is 5, so no answer can be agreed unless the roster has more super validators than that
  thirteen scanClient.threshold: 5
  thirteen scanClient.threshold: 13
  thirteen scanClient.threshold: f+1
  thirteen scanClient.threshold: 2f+1
an operations address that the network reaches
  localnet operations.host: 0.0.0.0
    operations.host is 0.0.0.0: whoever reaches that address sees what was asked; set it to 127.0.0.1 (OPERATIONS_HOST), or let only your monitoring reach the port
  localnet operations.host: 10.0.0.1
    operations.host is 10.0.0.1: whoever reaches that address sees what was asked; set it to 127.0.0.1 (OPERATIONS_HOST), or let only your monitoring reach the port
  localnet operations.host: "::"
    operations.host is ::: whoever reaches that address sees what was asked; set it to 127.0.0.1 (OPERATIONS_HOST), or let only your monitoring reach the port
  localnet operations.host: 0.0.0.0, operations.admin: true
    operations.host is 0.0.0.0: whoever reaches that address sees what was asked, and can change this daemon without a token (operations.admin is true); set it to 127.0.0.1 (OPERATIONS_HOST), or let only your monitoring reach the port
  localnet operations.admin: true, operations.host: 127.0.0.1
  localnet operations.admin: true, operations.host: "::1"
  localnet operations.admin: true, operations.host: localhost
too few voters to tolerate one that lies
  localnet localnet.superValidators: 3
    answers are not protected against one super validator that lies: that takes at least 4 voters, and there are 3
a roster on the word of one seed
  remote scanClient.seedUrls: ["https://a.example"]
    scanClient.seedUrls names 1 of the at least 4 scans needed to check one seed by the others: the first roster is taken on the word of one seed
  remote
an operator that no seed belongs to
  remote scanClient.threshold: 3, scanClient.operators: { one: [.a.example, B.example, c.example], two: [.example.org] }
    scanClient.operators.one names .a.example, which matches no seed's host: it counts only if it is the name or the host of a super validator that is discovered
    scanClient.operators.two names .example.org, which matches no seed's host: it counts only if it is the name or the host of a super validator that is discovered
  custom scanClient.operators: { one: [A] }
an operator that decides alone
  localnet scanClient.operators: { acme: [sv-1, sv-2] }
    scanClient.operators.acme has 2 of 4 super validators, and 2 decide: answers are not protected against acme alone, because 3 operators tolerate none that lies; that takes at least 4
  remote scanClient.operators: { acme: [b.example, c.example, a.example, A.example] }
    scanClient.operators.acme has 3 of 4 super validators, and 2 decide: answers are not protected against acme alone, because 2 operators tolerate none that lies; that takes at least 4
  localnet scanClient.threshold: 2f+1, scanClient.operators: { acme: [sv-1, sv-2] }
  localnet scanClient.threshold: 3, scanClient.operators: { acme: [sv-1, sv-2] }
  localnet localnet.superValidators: 7, scanClient.operators: { acme: [sv-1, sv-2, sv-3] }
an option that nothing uses
  remote scanClient.svNames: [A]
    scanClient.svNames is used by bft-custom only, and scanClient.scanType is bft
  remote ledger.url: "https://participant.example"
    ledger.url is used by participant only, and ledger.driver is none
  remote ledger.file: names.sqlite
    ledger.file is used by embedded only, and ledger.driver is none
  localnet cache.redis.secret: hunter2
    cache.redis.secret is used only where cache.redis.url is set
  localnet receipts.keyFile: receipts.pem, receipts.sign: off
    receipts.keyFile is used only where receipts.sign is asked or always
a localnet that asks strangers
  localnet ledger.driver: none, scanClient.seedUrls: ["http://127.0.0.1:9000", "http://[::1]:9000", "https://a.example"]
    scanClient.seedUrls names https://a.example although network is localnet: set network to remote to ask a real network
keys or tokens over plain http
  remote auth.jwksUrl: "http://keys.example/"
    auth.jwksUrl is plain http: whoever is on the way can give their own keys
  keyed ledger.driver: participant, ledger.url: "http://participant.example:7575"
    ledger.url is plain http: whoever is on the way can take the tokens of its users
a Redis that is trusted with every answer
  remote cache.redis.url: "redis://redis:6379"
    Redis is trusted with every answer: set cache.redis.secret (REDIS_CACHE_SECRET), the same at all daemons
  remote cache.redis.url: "redis://redis:6379", cache.redis.secret: hunter2
  localnet cache.redis.url: "redis://redis:6379"
`)

describe('a problem', () => {
  test.each(Object.entries(problems))('%s', (_, cases) => {
    for (const { given, said } of cases) expect(problemsOf(given), JSON.stringify(given)).toEqual(said)
  })
})

describe('a warning', () => {
  test.each(Object.entries(warnings))('%s', (_, cases) => {
    for (const { given, said } of cases) {
      expect(problemsOf(given), JSON.stringify(given)).toEqual([])
      expect(warningsOf(given), JSON.stringify(given)).toEqual(said)
    }
  })

  test('is also given where there are problems', () => {
    expect(warningsOf({ http: { port: -1 }, localnet: { superValidators: 1 } })).toHaveLength(1)
  })

  test('is not given for the defaults', () => {
    expect(warningsOf({})).toEqual([])
  })
})

test('every rule has a case that it says something to', () => {
  const hasSaid = (cases: readonly Case[]) => cases.some(({ said }) => said.length > 0)
  const said = Object.entries({ ...problems, ...warnings }).flatMap(([rule, cases]) =>
    hasSaid(cases) ? [rule] : [],
  )
  const rules = Object.keys({ ...problemRules, ...warningRules })
  expect(rules.filter((name) => !said.includes(name))).toEqual([
    'in production the network is chosen, not assumed',
  ])
})

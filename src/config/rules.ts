import { isLoopbackHost } from '../lib/loopback.ts'
import { type ThresholdRule, thresholdOf, tolerated } from '../quorum/threshold.ts'
import { claimsHost, operatorSizes } from './operators.ts'
import { type Config, knownVoters } from './resolve.ts'
import type { Settings } from './schema.ts'
import { showBytes, showMilliseconds } from './show.ts'

export interface ConfigFacts {
  readonly config: Config
  /** The settings without the defaults that depend on the network. */
  readonly settings: Settings
  /** Whether `NODE_ENV` or `NODE_CONFIG_ENV` names `production`. */
  readonly production: boolean
  /**
   * Whether a daemon runs with the configuration. False for a command or a library that only asks scans, which starts
   * no ledger.
   */
  readonly isDaemon: boolean
  /** n, the number of super validators that vote. Undefined if only discovery shows it. */
  readonly voters: number | undefined
}

/** A rule that the schema does not check, mostly about several options. */
export interface Rule {
  readonly name: string
  /**
   * The keys of the options on which the rule depends. If one of them is invalid by itself, the rule is not checked.
   */
  readonly reads: readonly string[]
  find(facts: ConfigFacts): Iterable<string>
}

export function factsOf(
  settings: Settings,
  config: Config,
  run: Pick<ConfigFacts, 'production' | 'isDaemon'>,
): ConfigFacts {
  return { config, settings, ...run, voters: knownVoters(settings) }
}

/** The rules whose violation prevents the start of the daemon. */
export const problemRules: readonly Rule[] = [
  {
    name: 'in production the network is chosen, not assumed',
    reads: ['network'],
    *find({ settings, production }) {
      if (production && settings.network === undefined)
        yield 'network must be set where NODE_ENV or NODE_CONFIG_ENV is production: mainnet, testnet, devnet, remote or localnet'
    },
  },
  {
    name: 'a remote network needs a seed',
    reads: ['network', 'scanClient.seedUrls', 'scanClient.scanType'],
    *find({ config: { network, scanClient } }) {
      if (network === 'remote' && scanClient.scanType !== 'trust-single' && scanClient.seedUrls.length === 0)
        yield 'scanClient.seedUrls must name at least one scan where network is remote'
    },
  },
  {
    name: 'a daemon reads from the network that its ledger belongs to',
    reads: ['network', 'scanClient.seedUrls', 'ledger.driver'],
    *find({ config: { network, scanClient, ledger }, isDaemon }) {
      if (!isDaemon || network !== 'localnet' || ledger.driver !== 'embedded') return
      if (scanClient.seedUrls.length > 0)
        yield 'scanClient.seedUrls names scans although network is localnet: the daemon would register names on its own localnet and read from those scans; set network to remote (NETWORK=remote) to ask them'
    },
  },
  {
    name: 'the embedded ledger is for localnet',
    reads: ['network', 'ledger.driver'],
    *find({ config: { network, ledger } }) {
      if (network === 'remote' && ledger.driver === 'embedded')
        yield 'ledger.driver must not be embedded where network is remote: nobody else would know of its names'
    },
  },
  {
    name: 'a participant is somewhere',
    reads: ['ledger.driver', 'ledger.url'],
    *find({ config: { ledger } }) {
      if (ledger.driver === 'participant' && ledger.url === undefined)
        yield 'ledger.url must be set where ledger.driver is participant'
    },
  },
  {
    name: 'trust-single has exactly one seed',
    reads: ['network', 'scanClient.seedUrls', 'scanClient.scanType'],
    *find({ config: { network, scanClient } }) {
      const count = scanClient.seedUrls.length
      if (scanClient.scanType !== 'trust-single' || count === 1 || (network === 'localnet' && count === 0))
        return
      yield `scanClient.seedUrls must name exactly one scan where scanClient.scanType is trust-single, not ${count}`
    },
  },
  {
    name: 'bft-custom needs the names it trusts',
    reads: ['scanClient.scanType', 'scanClient.svNames'],
    *find({ config: { scanClient } }) {
      if (scanClient.scanType === 'bft-custom' && scanClient.svNames.length === 0)
        yield 'scanClient.svNames must name at least one super validator where scanClient.scanType is bft-custom'
    },
  },
  {
    name: 'bft-custom finds its super validators by discovery',
    reads: ['scanClient.scanType', 'scanClient.discover'],
    *find({ config: { scanClient } }) {
      if (scanClient.scanType === 'bft-custom' && !scanClient.discover)
        yield 'scanClient.discover must be true where scanClient.scanType is bft-custom: names are found in the list of all scans'
    },
  },
  {
    name: 'no super validator is counted twice',
    reads: ['scanClient.seedUrls', 'scanClient.svNames'],
    *find({ config: { scanClient } }) {
      for (const url of repeated(scanClient.seedUrls)) yield `scanClient.seedUrls names ${url} more than once`
      for (const name of repeated(scanClient.svNames)) yield `scanClient.svNames names ${name} more than once`
    },
  },
  {
    name: 'seeds are https unless plain http is allowed',
    reads: ['network', 'scanClient.seedUrls', 'scanClient.allowHttp'],
    *find({ config: { scanClient } }) {
      if (scanClient.allowHttp) return
      for (const url of scanClient.seedUrls.filter((url) => url.startsWith('http:')))
        yield `scanClient.seedUrls must be https, not ${url}, unless scanClient.allowHttp is true`
    },
  },
  {
    name: 'a threshold is within the number of voters',
    reads: [...votersReads(), 'scanClient.threshold', 'scanClient.thresholds'],
    *find({ config: { scanClient }, voters }) {
      if (voters === undefined) return
      for (const [key, rule] of thresholds(scanClient))
        if (typeof rule === 'number' && rule > voters)
          yield `${key} must be at most the number of voters, ${voters}, not ${rule}`
    },
  },
  {
    name: "a read's own threshold is never below the general one",
    reads: [...votersReads(), 'scanClient.threshold', 'scanClient.thresholds'],
    *find({ config: { scanClient }, voters }) {
      const general = scanClient.threshold
      for (const [key, own] of ownThresholds(scanClient)) {
        const order = compare(own, general, voters)
        if (order === undefined)
          yield `${key} (${own}) cannot be compared with scanClient.threshold (${general}) before the number of voters is known: give both as words or both as numbers`
        else if (order < 0) yield `${key} (${own}) must not be below scanClient.threshold (${general})`
      }
    },
  },
  {
    name: 'the voters that a roster needs exist',
    reads: [...votersReads(), 'scanClient.minimumVoters'],
    *find({ config: { scanClient }, voters }) {
      if (voters !== undefined && scanClient.minimumVoters > voters)
        yield `scanClient.minimumVoters must be at most the number of voters, ${voters}, not ${scanClient.minimumVoters}`
    },
  },
  {
    name: 'no super validator has two operators',
    reads: ['scanClient.operators', 'scanClient.seedUrls'],
    *find({ config: { scanClient } }) {
      const claims = claimsOf(scanClient)
      for (const member of new Set(claims.map((claim) => claim.member))) {
        const operators = claims.filter((claim) => claim.member === member).map((claim) => claim.operator)
        if (operators.length > 1) yield `scanClient.operators gives ${member} to ${operators.join(' and ')}`
      }
      for (const host of scanClient.seedUrls.map(hostOf)) {
        const claimed = claims.filter(({ member }) => claimsHost(member, host))
        if (new Set(claimed.map(({ operator }) => operator)).size < 2) continue
        if (new Set(claimed.map(({ member }) => member)).size < 2) continue
        yield `scanClient.operators gives ${host} to ${claimed.map((claim) => `${claim.operator} (${claim.member})`).join(' and ')}`
      }
    },
  },
  {
    name: 'a read lasts at least as long as one ask',
    reads: ['scanClient.deadline', 'scanClient.requestTimeout'],
    *find({ settings: { scanClient } }) {
      if (scanClient.deadlineMs < scanClient.requestTimeoutMs)
        yield `scanClient.deadline (${scanClient.deadlineMs}ms) must not be shorter than scanClient.requestTimeout (${scanClient.requestTimeoutMs}ms)`
    },
  },
  {
    name: 'one body fits into what may be in memory',
    reads: ['scanClient.maxBufferedBytes', 'scanClient.maxResponseBytes'],
    *find({ config: { scanClient } }) {
      if (scanClient.maxBufferedBytes < scanClient.maxResponseBytes)
        yield `scanClient.maxBufferedBytes (${showBytes(scanClient.maxBufferedBytes)}) must not be less than scanClient.maxResponseBytes (${showBytes(scanClient.maxResponseBytes)})`
    },
  },
  {
    name: 'an answer is not stale before it is no longer fresh',
    reads: ['cache.times'],
    *find({ config: { cache } }) {
      for (const [read, times] of Object.entries(cache.times))
        if (times.freshMs !== undefined && times.staleMs !== undefined && times.staleMs < times.freshMs)
          yield `cache.times.${read}.stale (${showMilliseconds(times.staleMs)}) must not be shorter than cache.times.${read}.fresh (${showMilliseconds(times.freshMs)})`
    },
  },
  {
    name: 'the two addresses differ',
    reads: ['http.host', 'http.port', 'operations.host', 'operations.port'],
    *find({ config: { http, operations } }) {
      if (http.port !== 0 && http.port === operations.port && http.host === operations.host)
        yield `operations.port must not be ${operations.port}, which is http.port at the same address`
    },
  },
  {
    name: 'the localnet has ports for all its nodes',
    reads: ['network', 'localnet.port', 'localnet.controlPort', 'localnet.superValidators'],
    *find({ config: { network, localnet } }) {
      if (network !== 'localnet' || localnet.port === 0) return
      const last = localnet.port + localnet.superValidators - 1
      if (last > 65_535)
        yield `localnet.port must leave room for ${localnet.superValidators} ports up to 65535, not ${localnet.port}`
      if (localnet.controlPort >= localnet.port && localnet.controlPort <= last)
        yield `localnet.controlPort must not be ${localnet.controlPort}, one of the scan nodes' ports ${localnet.port} to ${last}`
    },
  },
  {
    name: 'the unsafe secret stays on the localnet',
    reads: ['network', 'auth.unsafeSecret'],
    *find({ config: { network }, settings: { auth } }) {
      if (network === 'remote' && auth.unsafeSecret !== undefined)
        yield 'auth.unsafeSecret must not be set where network is remote: whoever knows it can make tokens for anyone'
    },
  },
  {
    name: 'published keys and a shared secret are not both good',
    reads: ['auth.jwksUrl', 'auth.unsafeSecret'],
    *find({ settings: { auth } }) {
      if (auth.jwksUrl !== undefined && auth.unsafeSecret !== undefined)
        yield 'auth.unsafeSecret must not be set beside auth.jwksUrl: whoever knows it can make tokens for anyone'
    },
  },
  {
    name: 'bearer on a remote network needs keys and an audience',
    reads: ['network', 'auth.scanProxy', 'auth.jwksUrl', 'auth.audience'],
    *find({ config: { network, auth } }) {
      if (network !== 'remote' || auth.scanProxy !== 'bearer') return
      for (const key of ['jwksUrl', 'audience'] as const)
        if (auth[key] === undefined)
          yield `auth.${key} must be set where auth.scanProxy is bearer and network is remote`
    },
  },
  {
    name: 'a ledger on a remote network needs keys and an audience',
    reads: ['network', 'ledger.driver', 'auth.jwksUrl', 'auth.audience'],
    *find({ config: { network, ledger, auth } }) {
      if (network !== 'remote' || ledger.driver !== 'participant') return
      for (const key of ['jwksUrl', 'audience'] as const)
        if (auth[key] === undefined)
          yield `auth.${key} must be set where ledger.driver is participant and network is remote`
    },
  },
  {
    name: 'receipts on a remote network need a key',
    reads: ['network', 'receipts.keyFile', 'receipts.sign'],
    *find({ config: { network, receipts } }) {
      if (network === 'remote' && receipts.sign !== 'off' && receipts.keyFile === undefined)
        yield `receipts.keyFile must be set where receipts.sign is ${receipts.sign} and network is remote`
    },
  },
  {
    name: 'observations are signed by the key of receipts',
    reads: ['receipts.peers', 'receipts.sign'],
    *find({ config: { receipts } }) {
      if (Object.keys(receipts.peers).length > 0 && receipts.sign === 'off')
        yield 'receipts.peers needs a key that signs: receipts.sign is off'
    },
  },
  {
    name: 'peers are https unless plain http is allowed',
    reads: ['network', 'receipts.peers', 'scanClient.allowHttp'],
    *find({ config: { receipts, scanClient } }) {
      if (scanClient.allowHttp) return
      for (const [name, { url }] of Object.entries(receipts.peers))
        if (!url.startsWith('https:'))
          yield `receipts.peers.${name} must be https, not ${url}, unless scanClient.allowHttp is true`
    },
  },
  {
    name: 'no two peers have the same key',
    reads: ['receipts.peers'],
    *find({ config: { receipts } }) {
      const keys = Object.values(receipts.peers).flatMap((peer) => peer.keys)
      for (const key of new Set(keys.filter((each, index) => keys.indexOf(each) !== index)))
        yield `receipts.peers names the key ${key} twice`
    },
  },
]

/** The rules whose violation only causes a warning. */
export const warningRules: readonly Rule[] = [
  {
    name: 'trust in one scan',
    reads: ['scanClient.scanType'],
    *find({ config: { scanClient } }) {
      if (scanClient.scanType === 'trust-single')
        yield 'scanClient.scanType is trust-single: whatever that one scan says is believed'
    },
  },
  {
    name: 'a threshold that the tolerated number of liars can meet',
    reads: [...votersReads(), 'scanClient.threshold', 'scanClient.thresholds'],
    *find({ config: { scanClient }, voters }) {
      if (voters === undefined || scanClient.scanType === 'trust-single') return
      const f = tolerated(voters)
      for (const [key, rule] of thresholds(scanClient))
        if (thresholdOf(rule, voters) < f + 1)
          yield `${key} is ${rule}, below f+1 = ${f + 1} of ${voters} voters: answers are not protected against ${f} that lie together`
    },
  },
  {
    name: 'a threshold that is unsafe, or out of reach, by the number of seeds',
    reads: [...votersReads(), 'scanClient.threshold', 'scanClient.thresholds'],
    *find({ config: { scanClient }, voters }) {
      const seeds = scanClient.seedUrls.length
      // With fewer than four seeds, f of the seeds is 0, which says nothing about f of the network.
      if (voters !== undefined || tolerated(seeds) === 0) return
      const needed = tolerated(seeds) + 1
      const estimate = `${seeds} seeds are configured; f+1 of ${seeds} is ${needed}`
      for (const [key, rule] of thresholds(scanClient)) {
        if (thresholdOf(rule, seeds) < needed)
          yield `${key} is ${rule}: ${estimate}, so answers are not protected against ${needed - 1} super validators that lie together`
        if (thresholdOf(rule, seeds) > seeds)
          yield `${key} is ${rule}: ${estimate}, so no answer can be agreed unless the roster has more super validators than that`
      }
    },
  },
  {
    name: 'too few voters to tolerate one that lies',
    reads: votersReads(),
    *find({ config: { scanClient }, voters }) {
      if (
        voters === undefined ||
        voters === 0 ||
        scanClient.scanType === 'trust-single' ||
        tolerated(voters) > 0
      )
        return
      yield `answers are not protected against one super validator that lies: that takes at least 4 voters, and there are ${voters}`
    },
  },
  {
    name: 'a roster on the word of one seed',
    reads: ['network', 'scanClient.seedUrls', 'scanClient.scanType', 'scanClient.discover'],
    *find({ config: { network, scanClient } }) {
      const count = scanClient.seedUrls.length
      if (network !== 'remote' || scanClient.scanType === 'trust-single' || !scanClient.discover) return
      if (count > 0 && tolerated(count) === 0)
        yield `scanClient.seedUrls names ${count} of the at least 4 scans needed to check one seed by the others: the first roster is taken on the word of one seed`
    },
  },
  {
    name: 'an operator that no seed belongs to',
    reads: ['scanClient.operators', 'scanClient.seedUrls', 'scanClient.svNames'],
    *find({ config: { scanClient } }) {
      const hosts = scanClient.seedUrls.map(hostOf)
      if (hosts.length === 0) return
      for (const { operator, member } of claimsOf(scanClient))
        if (!hosts.some((host) => claimsHost(member, host)) && !scanClient.svNames.includes(member))
          yield `scanClient.operators.${operator} names ${member}, which matches no seed's host: it counts only if it is the name or the host of a super validator that is discovered`
    },
  },
  {
    name: 'an operator that decides alone',
    reads: [...votersReads(), 'scanClient.operators', 'scanClient.threshold'],
    *find({ config: { scanClient }, voters }) {
      const { seedUrls, svNames, threshold, scanType } = scanClient
      const n = voters ?? seedUrls.length
      const needed = thresholdOf(threshold, n)
      if (scanType === 'trust-single' || tolerated(n) === 0) return
      const names = scanType === 'bft-custom' ? svNames : []
      const hosts = scanType === 'bft-custom' ? [] : seedUrls.map(hostOf)
      const { sizes, count } = operatorSizes(scanClient.operators, { n, hosts, names })
      if (thresholdOf(typeof threshold === 'number' ? 'f+1' : threshold, count) > 1) return
      for (const [operator, size] of sizes)
        if (size >= needed)
          yield `scanClient.operators.${operator} has ${size} of ${n} super validators, and ${needed} decide: answers are not protected against ${operator} alone, because ${count} operators tolerate none that lies; that takes at least 4`
    },
  },
  {
    name: 'names that nothing reads',
    reads: ['scanClient.scanType', 'scanClient.svNames'],
    *find({ config: { scanClient } }) {
      if (scanClient.scanType !== 'bft-custom' && scanClient.svNames.length > 0)
        yield `scanClient.svNames is used by bft-custom only, and scanClient.scanType is ${scanClient.scanType}`
    },
  },
  {
    name: 'a localnet that asks strangers',
    reads: ['network', 'scanClient.seedUrls'],
    *find({ config: { network, scanClient } }) {
      if (network !== 'localnet') return
      for (const url of scanClient.seedUrls.filter((url) => !isLoopback(url)))
        yield `scanClient.seedUrls names ${url} although network is localnet: set network to remote to ask a real network`
    },
  },
  {
    name: 'admin calls from other machines',
    reads: ['operations.admin', 'operations.host'],
    *find({ config: { operations } }) {
      if (operations.admin && !isLoopbackHost(operations.host))
        yield `operations.admin is true, and operations.host is ${operations.host}: whoever reaches that address can change this daemon without a token`
    },
  },
  {
    name: 'keys over plain http',
    reads: ['network', 'auth.jwksUrl'],
    *find({ config: { network, auth } }) {
      if (network === 'remote' && auth.jwksUrl?.startsWith('http:') && !isLoopback(auth.jwksUrl))
        yield 'auth.jwksUrl is plain http: whoever is on the way can give their own keys'
    },
  },
  {
    name: 'tokens over plain http',
    reads: ['network', 'ledger.driver', 'ledger.url'],
    *find({ config: { network, ledger } }) {
      const isPlain = ledger.url?.startsWith('http:') && !isLoopback(ledger.url)
      if (network === 'remote' && ledger.driver === 'participant' && isPlain)
        yield 'ledger.url is plain http: whoever is on the way can take the tokens of its users'
    },
  },
  {
    name: 'a participant that nothing uses',
    reads: ['ledger.driver', 'ledger.url'],
    *find({ config: { ledger } }) {
      if (ledger.driver !== 'participant' && ledger.url !== undefined)
        yield `ledger.url is used by participant only, and ledger.driver is ${ledger.driver}`
    },
  },
  {
    name: 'a file of a ledger that is not there',
    reads: ['ledger.driver', 'ledger.file'],
    *find({ config: { ledger } }) {
      if (ledger.driver !== 'embedded' && ledger.file !== undefined)
        yield `ledger.file is used by embedded only, and ledger.driver is ${ledger.driver}`
    },
  },
  {
    name: 'a key that signs nothing',
    reads: ['receipts.keyFile', 'receipts.sign'],
    *find({ config: { receipts } }) {
      if (receipts.keyFile !== undefined && receipts.sign === 'off')
        yield 'receipts.keyFile is used only where receipts.sign is asked or always'
    },
  },
  {
    name: 'observations that nobody compares',
    reads: ['receipts.peers', 'receipts.observes'],
    *find({ config: { receipts } }) {
      if (receipts.observes === 'all' && Object.keys(receipts.peers).length === 0)
        yield 'receipts.observes is used only where receipts.peers names daemons'
    },
  },
  {
    name: 'a Redis that is trusted with every answer',
    reads: ['network', 'cache.redis.url', 'cache.redis.secret'],
    *find({ config: { network, cache } }) {
      if (network !== 'localnet' && cache.redis.url !== undefined && cache.redis.secret === undefined)
        yield 'Redis is trusted with every answer: set cache.redis.secret (REDIS_CACHE_SECRET), the same at all daemons'
    },
  },
  {
    name: 'a key for a Redis that is not there',
    reads: ['cache.redis.url', 'cache.redis.secret'],
    *find({ config: { cache } }) {
      if (cache.redis.secret !== undefined && cache.redis.url === undefined)
        yield 'cache.redis.secret is used only where cache.redis.url is set'
    },
  },
]

type ScanClient = Config['scanClient']

/** The options on which `ConfigFacts.voters` depends. */
function votersReads(): readonly string[] {
  return [
    'network',
    'scanClient.scanType',
    'scanClient.svNames',
    'scanClient.seedUrls',
    'scanClient.discover',
    'localnet.superValidators',
  ]
}

function thresholds(scanClient: ScanClient): readonly (readonly [key: string, rule: ThresholdRule])[] {
  return [['scanClient.threshold', scanClient.threshold], ...ownThresholds(scanClient)]
}

function ownThresholds(scanClient: ScanClient): readonly (readonly [key: string, rule: ThresholdRule])[] {
  return Object.entries(scanClient.thresholds).map(([read, rule]) => [`scanClient.thresholds.${read}`, rule])
}

/**
 * Compares two thresholds. Returns a negative number if `own` requires fewer votes than `general`. Returns undefined if
 * that depends on n and n is unknown.
 */
function compare(own: ThresholdRule, general: ThresholdRule, n: number | undefined): number | undefined {
  if (n !== undefined) return thresholdOf(own, n) - thresholdOf(general, n)
  if (typeof own === 'number' && typeof general === 'number') return own - general
  if (typeof own === 'number' || typeof general === 'number') return undefined
  return own === general || own === '2f+1' ? 0 : -1
}

function claimsOf(scanClient: ScanClient): readonly { readonly operator: string; readonly member: string }[] {
  return Object.entries(scanClient.operators).flatMap(([operator, members]) =>
    [...new Set(members)].map((member) => ({ operator, member })),
  )
}

function repeated(list: readonly string[]): Iterable<string> {
  return new Set(list.filter((item, index) => list.indexOf(item) !== index))
}

function hostOf(url: string): string {
  return new URL(url).host
}

function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname)
}

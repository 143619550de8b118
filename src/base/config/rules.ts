import { isLoopbackHost } from '../lib/loopback.ts'
import type { ConfigRules } from './rule.ts'
import { scanClientProblems, scanClientWarnings } from './scan-client-rules.ts'
import { showMilliseconds } from './show.ts'

export const problemRules: ConfigRules = {
  *'in production the network is chosen, not assumed'({ settings, production }) {
    if (production && settings.network === undefined)
      yield 'network must be set where NODE_ENV or NODE_CONFIG_ENV is production: mainnet, testnet, devnet, remote or localnet'
  },
  *'a remote network needs a seed'({ config: { network, scanClient } }) {
    if (network === 'remote' && scanClient.scanType !== 'trust-single' && scanClient.seedUrls.length === 0)
      yield 'scanClient.seedUrls must name at least one scan where network is remote'
  },
  *'a daemon reads from the network that its ledger belongs to'({
    config: { network, scanClient, ledger },
    isDaemon,
  }) {
    if (!isDaemon || network !== 'localnet' || ledger.driver !== 'embedded') return
    if (scanClient.seedUrls.length > 0)
      yield 'scanClient.seedUrls names scans although network is localnet: the daemon would register names on its own localnet and read from those scans; set network to remote (NETWORK=remote) to ask them'
  },
  *'the embedded ledger is for localnet'({ config: { network, ledger } }) {
    if (network === 'remote' && ledger.driver === 'embedded')
      yield 'ledger.driver must not be embedded where network is remote: nobody else would know of its names'
  },
  *'a participant is somewhere'({ config: { ledger } }) {
    if (ledger.driver === 'participant' && ledger.url === undefined)
      yield 'ledger.url must be set where ledger.driver is participant'
  },
  ...scanClientProblems,
  *'an answer is not stale before it is no longer fresh'({ config: { cache } }) {
    for (const [read, times] of Object.entries(cache.times))
      if (times.freshMs !== undefined && times.staleMs !== undefined && times.staleMs < times.freshMs)
        yield `cache.times.${read}.stale (${showMilliseconds(times.staleMs)}) must not be shorter than cache.times.${read}.fresh (${showMilliseconds(times.freshMs)})`
  },
  *'the two addresses differ'({ config: { http, operations } }) {
    if (http.port !== 0 && http.port === operations.port && http.host === operations.host)
      yield `operations.port must not be ${operations.port}, which is http.port at the same address`
  },
  *'the localnet has ports for all its nodes'({ config: { network, localnet } }) {
    if (network !== 'localnet' || localnet.port === 0) return
    const last = localnet.port + localnet.superValidators - 1
    if (last > 65_535)
      yield `localnet.port must leave room for ${localnet.superValidators} ports up to 65535, not ${localnet.port}`
    const { controlPort = 0 } = localnet
    if (controlPort >= localnet.port && controlPort <= last)
      yield `localnet.controlPort must not be ${controlPort}, one of the scan nodes' ports ${localnet.port} to ${last}`
  },
  *'the unsafe secret stays on the localnet'({ config: { network }, settings: { auth } }) {
    const where = network === 'remote' ? 'where network is remote' : auth.jwksUrl && 'beside auth.jwksUrl'
    if (where !== undefined && auth.unsafeSecret !== undefined)
      yield `auth.unsafeSecret must not be set ${where}: whoever knows it can make tokens for anyone`
  },
  *'tokens on a remote network need keys and an audience'({ config: { network, ledger, auth } }) {
    const byLedger = ledger.driver === 'participant' ? 'ledger.driver is participant' : undefined
    const why = auth.scanProxy === 'bearer' ? 'auth.scanProxy is bearer' : byLedger
    if (network !== 'remote' || why === undefined) return
    for (const key of ['jwksUrl', 'audience'] as const)
      if (auth[key] === undefined) yield `auth.${key} must be set where ${why} and network is remote`
  },
  *'receipts on a remote network need a key'({ config: { network, receipts } }) {
    if (network === 'remote' && receipts.sign !== 'off' && receipts.keyFile === undefined)
      yield `receipts.keyFile must be set where receipts.sign is ${receipts.sign} and network is remote`
  },
}

export const warningRules: ConfigRules = {
  ...scanClientWarnings,
  *'an operations address that the network reaches'({ config: { operations } }) {
    const { host, admin } = operations
    if (isLoopbackHost(host)) return
    const changes = admin ? ', and can change this daemon without a token (operations.admin is true)' : ''
    yield `operations.host is ${host}: whoever reaches that address sees what was asked${changes}; set it to 127.0.0.1 (OPERATIONS_HOST), or let only your monitoring reach the port`
  },
  *'keys or tokens over plain http'({ config: { network, auth, ledger } }) {
    if (network !== 'remote') return
    if (isPlain(auth.jwksUrl))
      yield 'auth.jwksUrl is plain http: whoever is on the way can give their own keys'
    if (ledger.driver === 'participant' && isPlain(ledger.url))
      yield 'ledger.url is plain http: whoever is on the way can take the tokens of its users'
  },
  *'an option that nothing uses'({ config: { scanClient, ledger, receipts, cache } }) {
    if (scanClient.scanType !== 'bft-custom' && scanClient.svNames.length > 0)
      yield `scanClient.svNames is used by bft-custom only, and scanClient.scanType is ${scanClient.scanType}`
    if (ledger.driver !== 'participant' && ledger.url !== undefined)
      yield `ledger.url is used by participant only, and ledger.driver is ${ledger.driver}`
    if (ledger.driver !== 'embedded' && ledger.file !== undefined)
      yield `ledger.file is used by embedded only, and ledger.driver is ${ledger.driver}`
    if (receipts.sign === 'off' && receipts.keyFile !== undefined)
      yield 'receipts.keyFile is used only where receipts.sign is asked or always'
    if (cache.redis.url === undefined && cache.redis.secret !== undefined)
      yield 'cache.redis.secret is used only where cache.redis.url is set'
  },
  *'a Redis that is trusted with every answer'({ config: { network, cache } }) {
    if (network !== 'localnet' && cache.redis.url !== undefined && cache.redis.secret === undefined)
      yield 'Redis is trusted with every answer: set cache.redis.secret (REDIS_CACHE_SECRET), the same at all daemons'
  },
}

function isPlain(url: string | undefined): boolean {
  return url?.startsWith('http:') === true && !isLoopbackHost(new URL(url).hostname)
}

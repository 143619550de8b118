import { z } from 'zod'
import { parseRedisUrl, redisUrlIs } from '../lib/redis-url.ts'
import { logLevels } from './flags.ts'
import {
  acronym,
  addressBlock,
  duration,
  flag,
  fraction,
  hostName,
  ledgerApiVersion,
  listenHost,
  listOf,
  type OptionKind,
  oneOf,
  operators,
  packageVersion,
  partyId,
  proxyUrl,
  rate,
  rateOf,
  scanRoot,
  size,
  text,
  threshold,
  webUrl,
  whole,
} from './kinds.ts'
import { publicNetworks } from './networks.ts'
import { type anyRead, fields, option, perRead, section } from './option.ts'

const redisUrl = {
  schema: z
    .string({ error: redisUrlIs })
    .trim()
    .check(({ value, issues }) => {
      try {
        parseRedisUrl(value)
      } catch (error) {
        issues.push({ code: 'custom', message: (error as TypeError).message, input: value })
      }
    }),
  mustBe: redisUrlIs,
} as const satisfies OptionKind

const port = whole(0, 65_535)

export const schema = section('The configuration of bft-scan-proxy.', {
  network: option(oneOf('localnet', 'remote', ...publicNetworks), {
    unset: 'localnet; with NODE_ENV or NODE_CONFIG_ENV=production it must be set',
    says: 'localnet runs scan nodes of its own in this process, remote asks those of a real network; mainnet, testnet and devnet are remote with the file of that network.',
  }),
  http: section('The public API.', {
    host: option(listenHost, {
      default: '127.0.0.1',
      says: 'The address the public API listens on.',
    }),
    port: option(port, {
      default: 8080,
      says: 'The port of the public API; 0 takes a free one.',
    }),
    keepAliveTimeout: option(duration('1s', '10m'), {
      default: '75s',
      says: 'How long an idle connection stays open: longer than load balancers keep theirs, mostly 60 s.',
    }),
    shutdownDelay: option(duration('0s'), {
      default: '0s',
      says: 'How long after a signal to stop new connections are still taken, with readiness already gone.',
    }),
    shutdownTimeout: option(duration('0s'), {
      default: '10s',
      says: 'How long requests that have begun may take to end before they are cut.',
    }),
    missesPerSecond: option(rate, {
      unset: '50 on remote, none on localnet',
      says: 'How many requests a second that the cache cannot answer one client address may make.',
    }),
  }),
  operations: section('The address for operators: metrics, probes, status, evidence and the page.', {
    host: option(listenHost, {
      default: '127.0.0.1',
      says: 'The address operations listen on.',
    }),
    port: option(port, {
      default: 9464,
      says: 'The port of operations; 0 takes a free one.',
    }),
    allowedHosts: option(listOf(hostName), {
      default: [],
      says: "Host names by which operations, and a localnet's control address, are reached, beside addresses and localhost.",
    }),
    admin: option(flag, {
      default: false,
      says: 'Whether the address also takes calls that change the running daemon.',
    }),
  }),
  ui: section('The page for people.', {
    public: option(flag, {
      default: false,
      says: 'Whether the page is also at / of the public API, read-only. It shows what others asked.',
    }),
    url: option(webUrl, {
      unset: 'unknown',
      says: 'The address of the public page for others. Links to its preview picture then begin with it.',
    }),
  }),
  logLevel: option(oneOf(...logLevels), {
    reloads: true,
    default: 'info',
    says: 'The least severe level that is logged.',
  }),
  log: section('The log.', {
    format: option(oneOf('json', 'pretty'), {
      unset: 'pretty where standard output is a terminal, else json',
      says: 'How the log is written: json for programs, pretty for people.',
    }),
  }),
  scanClient: section('Whom to ask, and how many must agree.', {
    scanType: option(oneOf('bft', 'bft-custom', 'trust-single'), {
      env: 'SCAN_TYPE',
      default: 'bft',
      says: 'bft trusts a quorum of all super validators, bft-custom of those in svNames, trust-single the one seed.',
    }),
    seedUrls: option(listOf(scanRoot), {
      reloads: true,
      default: [],
      says: 'The scans to ask for the list of all scans; a trailing / or /api/scan is trimmed.',
    }),
    svNames: option(listOf(text), {
      reloads: true,
      default: [],
      says: 'The names of the super validators that bft-custom trusts.',
    }),
    threshold: option(threshold, {
      reloads: true,
      default: 'f+1',
      says: 'How many super validators must give the same answer.',
    }),
    thresholds: perRead(
      option(threshold, {
        reloads: true,
        unset: 'scanClient.threshold',
        says: 'The threshold of one read, never below the general one.',
      }),
    ),
    operators: option(operators, {
      reloads: true,
      default: {},
      says: "Who runs which super validators, so that one company counts once: an operator's members are names, scan hosts or host suffixes (.example.org).",
    }),
    minimumVoters: option(whole(1, 1000), {
      reloads: true,
      unset: '1 on localnet, else 4 or as many voters as the configuration names, if fewer',
      says: 'The fewest super validators a roster may have.',
    }),
    dsoPartyId: option(partyId, {
      unset: 'none',
      says: 'The party of the DSO that the scans must be of, as a pin against the wrong network.',
    }),
    discover: option(flag, {
      default: true,
      says: 'Whether the scans are asked for the list of all scans; where not, the seeds are the roster.',
    }),
    refreshInterval: option(duration('1s'), {
      default: '10m',
      says: 'How often the list of all scans is agreed anew.',
    }),
    probeInterval: option(duration('100ms'), {
      default: '30s',
      says: 'How long a scan may go unasked before it is probed.',
    }),
    requestTimeout: option(duration('10ms'), {
      default: '5s',
      says: 'How long one request to a scan may take.',
    }),
    deadline: option(duration('10ms'), {
      default: '15s',
      says: 'How long a whole read may take.',
    }),
    fanout: option(oneOf('economical', 'quorum', 'all'), {
      default: 'economical',
      says: 'How many scans are asked at first: as few as can agree, as many as 2f+1 stands for, or all.',
    }),
    auditShare: option(fraction, {
      default: 0.05,
      says: 'The share of agreed reads after which one more scan is asked, for evidence.',
    }),
    maxResponseBytes: option(size(), {
      default: '32MiB',
      says: 'The longest body that is read from a scan, whatever the read.',
    }),
    maxBufferedBytes: option(size(), {
      default: '256MiB',
      says: 'How many bytes of bodies may be in memory at once.',
    }),
    maxInFlight: option(whole(1, 1_000_000), {
      default: 512,
      says: 'How many requests to scans may be under way at once.',
    }),
    asksPerSecond: option(rateOf(10), {
      unset: '50 on remote, none on localnet',
      says: 'How many requests one scan gets in any second at most. Scans as they are shipped take 50 of one address.',
    }),
    registryAsksPerMinute: option(rateOf(1), {
      unset: '120 on remote, none on localnet',
      says: 'How many requests to its token registry one scan gets in any minute at most.',
    }),
    allowHttp: option(flag, {
      unset: 'false on remote, true on localnet',
      says: 'Whether scans may be asked over plain http.',
    }),
    allowPrivate: option(flag, {
      unset: 'false on remote, true on localnet',
      says: 'Whether scans may have loopback, private or link-local addresses.',
    }),
    httpsProxy: option(proxyUrl, {
      env: 'HTTPS_PROXY',
      unset: 'none',
      secret: true,
      says: 'The forward proxy through which https scans are asked; it resolves their names. Never used for loopback.',
    }),
    httpProxy: option(proxyUrl, {
      env: 'HTTP_PROXY',
      unset: 'none',
      secret: true,
      says: 'The same for http scans.',
    }),
    noProxy: option(listOf(text), {
      env: 'NO_PROXY',
      default: [],
      says: 'Scans that are asked without the proxy: hosts with their subdomains, addresses or blocks of them, each with or without a port; * for all.',
    }),
    egressAddresses: option(listOf(addressBlock), {
      default: [],
      says: "The public addresses from which this daemon's requests reach the scans, for the letters of the command doctor.",
    }),
    rosterFile: option(text, {
      unset: 'none',
      says: 'The file that keeps the last roster across restarts.',
    }),
    rosterMaxAge: option(duration('1s', '3650d'), {
      default: '7d',
      says: 'The oldest kept roster that is still used.',
    }),
    absentTexts: perRead(
      option(listOf(text), {
        unset: 'the texts known for the read',
        says: 'Further texts of a 404 that mean "there is none" rather than "I cannot say".',
      }),
    ),
  }),
  cache: section('How answers are remembered.', {
    maxBytes: option(size(), {
      default: '64MiB',
      says: 'How many bytes of answers are kept in memory.',
    }),
    redis: section('The Redis that several daemons share answers through.', {
      url: option(redisUrl, {
        env: 'REDIS_URL',
        unset: 'none',
        says: 'A single server, the sentinels of a group, or nodes of a cluster.',
      }),
      secret: option(text, {
        env: 'REDIS_CACHE_SECRET',
        unset: 'none',
        secret: true,
        says: 'The key that answers in Redis are signed with, so that whoever can write to it cannot change them.',
      }),
    }),
    times: perRead(
      fields('How long the answers of one read are served.', {
        fresh: option(duration('0s'), {
          unset: 'as the read says',
          says: 'How long an answer is served as it is.',
        }),
        stale: option(duration('0s'), {
          unset: 'as the read says',
          says: 'The age up to which an answer is served while a new one is agreed.',
        }),
        absent: option(duration('0s'), {
          unset: 'as the read says',
          says: 'How long an agreed "there is none" is served.',
        }),
      }),
    ),
  }),
  guard: section('The rollback guard: no answer is older than one that was served before.', {
    enabled: option(flag, {
      default: true,
      says: 'Whether the daemon refuses agreed answers that are older than one that it served before.',
    }),
    file: option(text, {
      unset: 'in memory, forgotten at exit',
      says: 'The file that keeps the ages of served answers across restarts, one for each daemon.',
    }),
  }),
  mirror: section('The mirror of names: lookups that no super validator is asked for.', {
    level: option(oneOf('off', 'bindings', 'stream'), {
      default: 'off',
      says: 'off asks super validators for every name; bindings answers names that exist from an agreed snapshot; stream also answers absences, lists and lookups by party.',
    }),
    file: option(text, {
      unset: 'in memory, forgotten at exit',
      says: "The file that keeps the mirror's names across restarts.",
    }),
    maxEntries: option(whole(1, 10_000_000), {
      default: 200_000,
      says: 'The most names that are mirrored; with more of them the mirror serves none, and says so.',
    }),
    packages: option(listOf(packageVersion), {
      default: [],
      says: 'Further versions of the name-service package with which names are mirrored; audit them first, as docs/mirror.md says.',
    }),
    spotCheckInterval: option(duration('1s'), {
      default: '1m',
      says: 'How often one random mirrored name is compared with what super validators say live.',
    }),
    pollInterval: option(duration('100ms'), {
      default: '2s',
      says: 'Level stream: the pause between two looks for new updates.',
    }),
    maxLag: option(duration('1s'), {
      default: '60s',
      says: 'Level stream: while the followed updates are further than this behind the ledger, names are answered as at level bindings.',
    }),
    maxBytesPerMinute: option(size(), {
      default: '64MiB',
      says: 'Level stream: how much scans may send a minute, all together.',
    }),
  }),
  names: section('The name service.', {
    acronym: option(acronym, {
      unset: 'cns on localnet, else what the scans agree on',
      says: 'What names end in, such as cns.',
    }),
  }),
  localnet: section('The scan nodes that this process runs itself on localnet.', {
    superValidators: option(whole(1, 100), {
      default: 4,
      says: 'How many super validators there are.',
    }),
    releases: option(listOf(oneOf('0.7.5', '0.8', '0.9')), {
      default: ['0.9'],
      says: 'The releases of Splice that the scans speak, in the order of the super validators; a shorter list begins again.',
    }),
    port: option(port, {
      default: 0,
      says: 'The port of the first scan node, the others follow it; 0 takes free ones.',
    }),
    controlPort: option(port, {
      unset: '9500, or the next free one',
      says: 'The port at which faults are set; 0 takes any free one.',
    }),
  }),
  ledger: section('The ledger behind the name registry and the wallet.', {
    driver: option(oneOf('embedded', 'participant', 'none'), {
      unset: 'embedded on localnet, none on remote',
      says: 'embedded keeps a ledger of its own in this process, participant uses that of a Canton participant; with none the registry answers 501.',
    }),
    file: option(text, {
      unset: 'in memory, forgotten at exit',
      says: 'The SQLite file of the embedded ledger.',
    }),
    url: option(webUrl, {
      env: 'LEDGER_API_URL',
      unset: 'none',
      says: "The root of the participant's JSON Ledger API, its path prefix included.",
    }),
    relay: option(oneOf('reads', 'all', 'off'), {
      default: 'reads',
      says: 'What the daemon passes on to the participant of the requests below `/v2`: reads, all, or nothing.',
    }),
    maxListElements: option(whole(1, 100_000), {
      default: 200,
      says: 'The most elements that one list of the JSON Ledger API has; more that match are answered 413.',
    }),
    version: option(ledgerApiVersion, {
      unset: '3.6.0',
      says: 'The version that /v2/version names of the embedded ledger, for clients that refuse versions they do not know.',
    }),
    anyPartyUsers: option(listOf(text), {
      unset: 'ledger-api-user',
      says: 'Users of the embedded ledger who may read as any party and see all users.',
    }),
    deprecatedFields: option(oneOf('updates', 'all', 'none'), {
      default: 'updates',
      says: 'Which requests may have the fields `filter` and `verbose`, which Canton 3.6 refuses by default.',
    }),
    validatorUser: option(text, {
      default: 'ledger-api-user',
      says: "The ledger's user of the validator operator, whose party /v0/validator-user names.",
    }),
  }),
  auth: section('Who may call what needs a token.', {
    issuer: option(text, {
      reloads: true,
      unset: 'any',
      says: 'The issuer that tokens must name.',
    }),
    audience: option(text, {
      reloads: true,
      unset: 'any',
      says: 'The audience that tokens must name.',
    }),
    scope: option(text, {
      reloads: true,
      unset: "the ledger's own audience, or daml_ledger_api",
      says: 'The scope that tokens for the JSON Ledger API must have where auth.audience is unset.',
    }),
    jwksUrl: option(webUrl, {
      reloads: true,
      unset: 'none',
      says: 'Where the public keys of RS256 and ES256 tokens are.',
    }),
    unsafeSecret: option(text, {
      reloads: true,
      unset: 'unsafe on a localnet without auth.jwksUrl and auth.audience, else none; refused on remote',
      secret: true,
      says: 'The shared secret of HS256 tokens, for tests only.',
    }),
    scanProxy: option(oneOf('none', 'bearer'), {
      default: 'none',
      says: 'Whether reads below /v0/scan-proxy and the feed of changes need a token. Reads of the Scan API, which the client uses, need none.',
    }),
  }),
  traces: section('The traces.', {
    endpoint: option(webUrl, {
      env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      unset: 'none: nothing is traced',
      says: 'The root of an OpenTelemetry collector that takes OTLP over HTTP as JSON; v1/traces is added.',
    }),
    sampler: option(
      oneOf(
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ),
      {
        env: 'OTEL_TRACES_SAMPLER',
        default: 'parentbased_always_on',
        says: "Which reads are traced; those with parentbased do as the caller's trace says, where it has one.",
      },
    ),
    samplerRatio: option(fraction, {
      env: 'OTEL_TRACES_SAMPLER_ARG',
      default: 1,
      says: 'The part of all traces that traceidratio takes.',
    }),
  }),
  receipts: section('Signed receipts for answers.', {
    keyFile: option(text, {
      unset: 'none; on localnet a key in memory, forgotten at exit',
      says: 'The file with the Ed25519 key that signs receipts, as PKCS#8 PEM, which only its owner may read. It is made at the first start.',
    }),
    sign: option(oneOf('asked', 'always', 'off'), {
      unset: 'asked where there is a key, else off',
      says: 'Which answers get a receipt: those whose caller asks by accept-signature, all, or none.',
    }),
  }),
  evidence: section('What is kept of disagreements.', {
    maxBytes: option(size(), {
      default: '16MiB',
      says: 'How many bytes of evidence are kept in memory. Documents that receipts name take as many again.',
    }),
    questions: option(flag, {
      default: false,
      says: 'Whether evidence keeps the parameters of a question, and not only their digest. What super validators sent is kept in both cases, and may contain the name that was asked for.',
    }),
  }),
})

/** The checked values of all options. `resolve` adds the defaults that depend on the network. */
export type Settings = z.output<typeof schema>

/** The settings in the form in which users write them. The reads have these ids. */
export type Written<Id extends string> = ForReads<NonNullable<z.input<typeof schema>>, Id>

type ForReads<T, Id extends string> = T extends readonly unknown[]
  ? T
  : { [Key in keyof T as Key extends typeof anyRead ? Id : Key]: ForReads<T[Key], Id> }

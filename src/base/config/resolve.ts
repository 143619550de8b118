import type { Settings } from './options.ts'

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/**
 * The effective configuration, frozen at all levels. Durations are in milliseconds (`...Ms`), sizes
 * are in bytes.
 */
export type Config = Frozen<ReturnType<typeof withDefaults>>

export function resolve(settings: Settings): Config {
  return frozen(withDefaults(settings))
}

/**
 * Without configured seeds, the scans of the localnet are the seeds. With the scan type
 * `trust-single`, only the first one is.
 */
export function withSeeds(config: Config, all: readonly string[]): Config {
  const { scanClient } = config
  if (scanClient.seedUrls.length > 0) return config
  const seedUrls = scanClient.scanType === 'trust-single' ? all.slice(0, 1) : all
  return { ...config, scanClient: { ...scanClient, seedUrls } }
}

interface VoterSettings {
  readonly network?: Settings['network']
  readonly scanClient: Frozen<Pick<Settings['scanClient'], 'scanType' | 'svNames' | 'seedUrls' | 'discover'>>
  readonly localnet: Frozen<Pick<Settings['localnet'], 'superValidators'>>
}

/** Returns the number of super validators that vote, or undefined if only discovery can tell it. */
export function knownVoters(settings: VoterSettings): number | undefined {
  const { scanType, svNames, seedUrls, discover } = settings.scanClient
  if (scanType === 'trust-single') return 1
  if (scanType === 'bft-custom') return svNames.length || undefined
  if (!discover && seedUrls.length > 0) return seedUrls.length
  return networkOf(settings) === 'localnet' ? settings.localnet.superValidators : undefined
}

const localnetAcronym = 'cns'

function withDefaults(settings: Settings) {
  const network = networkOf(settings)
  const local = network === 'localnet'
  const { http, scanClient, names, localnet, ledger, auth, receipts } = settings
  return {
    ...settings,
    network,
    http: { ...http, missesPerSecond: limited(http.missesPerSecond ?? (local ? 'none' : 50)) },
    scanClient: {
      ...scanClient,
      minimumVoters: scanClient.minimumVoters ?? (local ? 1 : Math.min(4, knownVoters(settings) ?? 4)),
      asksPerSecond: limited(scanClient.asksPerSecond ?? (local ? 'none' : 50)),
      registryAsksPerMinute: limited(scanClient.registryAsksPerMinute ?? (local ? 'none' : 120)),
      allowHttp: scanClient.allowHttp ?? local,
      allowPrivate: scanClient.allowPrivate ?? local,
    },
    ledger: {
      ...ledger,
      driver: ledger.driver ?? (local ? 'embedded' : 'none'),
      anyPartyUsers: ledger.anyPartyUsers ?? ['ledger-api-user'],
    },
    receipts: {
      ...receipts,
      sign: receipts.sign ?? (local || receipts.keyFile !== undefined ? 'asked' : 'off'),
    },
    names: { acronym: names.acronym ?? (local ? localnetAcronym : undefined) },
    localnet: { ...localnet, acronym: names.acronym ?? localnetAcronym },
    auth: { ...auth, unsafeSecret: auth.unsafeSecret ?? (local && isTrial(auth) ? 'unsafe' : undefined) },
  }
}

/**
 * Whether a localnet accepts tokens signed with the well-known secret `unsafe`. A user who sets
 * `jwksUrl` or `audience` has real tokens.
 */
function isTrial({ jwksUrl, audience }: Settings['auth']): boolean {
  return jwksUrl === undefined && audience === undefined
}

function networkOf(settings: Pick<VoterSettings, 'network'>): 'localnet' | 'remote' {
  return settings.network === undefined || settings.network === 'localnet' ? 'localnet' : 'remote'
}

function limited(rate: number | 'none'): number | undefined {
  return rate === 'none' ? undefined : rate
}

function frozen<T>(value: T): Frozen<T> {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) frozen(inner)
  }
  return value as Frozen<T>
}

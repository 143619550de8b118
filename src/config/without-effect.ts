import type { Config } from './resolve.ts'

interface Row {
  readonly keys: readonly string[]
  readonly has: (config: Config) => boolean
}

/** Options that some configurations ignore. `has` is true for a configuration that uses them. */
const conditional: readonly Row[] = [
  { keys: ['localnet'], has: ({ network }) => network === 'localnet' },
  { keys: ['scanClient.svNames'], has: ({ scanClient }) => scanClient.scanType === 'bft-custom' },
  {
    keys: ['scanClient.rosterMaxAge'],
    has: ({ scanClient }) => scanClient.rosterFile !== undefined,
  },
  {
    keys: ['scanClient.noProxy'],
    has: ({ scanClient: { httpProxy, httpsProxy } }) => (httpProxy ?? httpsProxy) !== undefined,
  },
  { keys: ['guard.file'], has: ({ guard }) => guard.enabled },
  {
    keys: ['mirror.file', 'mirror.maxEntries', 'mirror.spotCheckInterval'],
    has: ({ mirror }) => mirror.level !== 'off',
  },
  {
    keys: ['mirror.pollInterval', 'mirror.maxLag', 'mirror.maxBytesPerMinute'],
    has: ({ mirror }) => mirror.level === 'stream',
  },
  { keys: ['ledger.maxListElements', 'ledger.anyPartyUsers'], has: hasLedger },
  { keys: ['names.acronym'], has: hasLedger },
  { keys: ['traces'], has: ({ traces }) => traces.endpoint !== undefined },
]

export function keysWithoutEffect(config: Config): readonly string[] {
  return conditional.flatMap(({ keys, has }) => (has(config) ? [] : keys))
}

function hasLedger({ ledger }: Config): boolean {
  return ledger.driver !== 'none'
}

import type { Config } from './resolve.ts'

interface ConditionalOptions {
  readonly keys: readonly string[]
  readonly isUsed: (config: Config) => boolean
}

const usedOnlyIf: readonly ConditionalOptions[] = [
  { keys: ['localnet'], isUsed: ({ network }) => network === 'localnet' },
  { keys: ['scanClient.svNames'], isUsed: ({ scanClient }) => scanClient.scanType === 'bft-custom' },
  {
    keys: ['scanClient.rosterMaxAge'],
    isUsed: ({ scanClient }) => scanClient.rosterFile !== undefined,
  },
  {
    keys: ['scanClient.noProxy'],
    isUsed: ({ scanClient: { httpProxy, httpsProxy } }) => (httpProxy ?? httpsProxy) !== undefined,
  },
  { keys: ['guard.file'], isUsed: ({ guard }) => guard.enabled },
  {
    keys: ['mirror.file', 'mirror.maxEntries', 'mirror.packages', 'mirror.spotCheckInterval'],
    isUsed: ({ mirror }) => mirror.level !== 'off',
  },
  {
    keys: ['mirror.pollInterval', 'mirror.maxLag', 'mirror.maxBytesPerMinute'],
    isUsed: ({ mirror }) => mirror.level === 'stream',
  },
  {
    keys: ['ledger.maxListElements', 'ledger.anyPartyUsers', 'ledger.version', 'ledger.deprecatedFields'],
    isUsed: ({ ledger }) => ledger.driver === 'embedded',
  },
  { keys: ['ledger.relay'], isUsed: ({ ledger }) => ledger.driver === 'participant' },
  { keys: ['names.acronym'], isUsed: ({ ledger }) => ledger.driver !== 'none' },
  { keys: ['traces'], isUsed: ({ traces }) => traces.endpoint !== undefined },
]

export function keysWithoutEffect(config: Config): readonly string[] {
  return usedOnlyIf.flatMap(({ keys, isUsed }) => (isUsed(config) ? [] : keys))
}

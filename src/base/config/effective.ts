import { valueAt } from '../lib/value-at.ts'
import { anyRead } from './option.ts'
import type { Config } from './resolve.ts'
import { type ConfigRow, rows } from './rows.ts'
import { redact, showBytes, showMilliseconds } from './show.ts'

type Option = Extract<ConfigRow, { at: 'option' }>

export interface EffectiveOption {
  readonly key: string
  readonly option: Option
  readonly value: unknown
}

export function* effectiveOptions(config: Config): Iterable<EffectiveOption> {
  for (const row of rows) {
    if (row.at === 'option' && row.path.includes(anyRead)) {
      const [table, own] = splitAtRead(row.path)
      const reads = Object.keys((valueAt(config, table) as object | undefined) ?? {})
      for (const read of reads) yield* optionIn(config, row, [...table, read, ...own])
    } else if (row.at === 'option') {
      yield* optionIn(config, row, row.path)
    }
  }
}

/**
 * Returns a value as users write it. `(set)` replaces a secret, and `***` replaces the credentials
 * in a URL.
 */
export function shownValue({ option: { secret, unit }, value }: EffectiveOption): string {
  if (secret) return '(set)'
  if (unit === 'ms') return showMilliseconds(value as number)
  if (unit === 'bytes') return showBytes(value as number)
  return redact(typeof value === 'string' ? value : JSON.stringify(value))
}

/**
 * Splits a path at the id of the read: `cache.times.<read>.fresh` becomes `cache.times` and
 * `fresh`. A path without a read has an empty second part.
 */
export function splitAtRead(path: readonly string[]): readonly [readonly string[], readonly string[]] {
  const index = path.indexOf(anyRead)
  return index === -1 ? [path, []] : [path.slice(0, index), path.slice(index + 1)]
}

function* optionIn(config: Config, option: Option, path: readonly string[]): Iterable<EffectiveOption> {
  const value = valueAt(config, option.unit === 'ms' ? path.with(-1, `${path.at(-1)}Ms`) : path)
  if (value !== undefined) yield { key: path.join('.'), option, value }
}

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

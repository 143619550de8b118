import type { z } from 'zod'
import { meantWord, suggestion } from '../lib/similar-words.ts'
import { valueAt } from '../lib/value-at.ts'
import { schema } from './options.ts'
import { type Config, resolve } from './resolve.ts'
import { knownKeys, optionAt, rows } from './rows.ts'
import { factsOf, findingsOf } from './rule.ts'
import { problemRules, warningRules } from './rules.ts'
import { show } from './show.ts'
import { isTree, pruned, type Tree } from './tree.ts'

/** The options of earlier releases that the daemon ignores, each with what the warning says about it. */
export const retiredOptions: Readonly<Record<string, string>> = {
  'receipts.peers': 'daemons no longer compare what super validators told them',
  'receipts.observes': 'daemons no longer compare what super validators told them',
  'ledger.retain': 'the ledger of a localnet keeps its updates',
  'metrics.spliceNames': "dashboards/splice-names.yaml has recording rules that give Splice's names",
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[]; readonly warnings: readonly string[] }

export interface ParseContext {
  /**
   * True if `NODE_ENV` or `NODE_CONFIG_ENV` names `production`. The configuration must then name a
   * network.
   */
  readonly production?: boolean
  /**
   * False for a command or a library, which only asks scans and starts no ledger; true by default.
   */
  readonly isDaemon?: boolean
  readonly origin?: (path: readonly PropertyKey[]) => string | undefined
  /** The ids of all reads; if they are undefined, sections with a key for each read take any key. */
  readonly reads?: readonly string[] | undefined
}

/**
 * Checks a configuration, and returns the effective one or all problems at once. A key whose value
 * is null counts as unset.
 */
export function parseConfig(
  written: unknown,
  { production = false, isDaemon = true, origin, reads }: ParseContext = {},
): ConfigResult {
  const nonNull = withoutNulls(written ?? {})
  const retired = Object.keys(retiredOptions).filter((key) => valueAt(nonNull, key.split('.')) !== undefined)
  const given = retired.reduce(withoutOption, nonNull)
  const known = knownKeys(reads ?? [])
  const unknown = reads === undefined ? [] : [...unknownReads(given, known)]
  const first = schema.safeParse(without(given, unknown))
  const issues = first.success ? [] : first.error.issues
  const findings = [...unknown, ...issues.flatMap((issue) => faultsOf(issue, given, known))]
  const settings = first.success ? first.data : schema.parse(without(given, findings))
  const config = resolve(settings)
  const spoilt = findings.map(({ path }) => path)
  const facts = factsOf({ settings, config, production, isDaemon }, spoilt)
  const problems = [
    ...new Set(findings.map(({ path, text }) => told(text, origin?.(path)))),
    ...findingsOf(problemRules, facts),
  ]
  const warnings = [
    ...retired.map((key) =>
      told(`${key} has no effect any more: ${retiredOptions[key]}`, origin?.(key.split('.'))),
    ),
    ...findingsOf(warningRules, facts),
  ]
  return problems.length === 0 ? { ok: true, config, warnings } : { ok: false, problems, warnings }
}

interface ConfigFinding {
  readonly path: readonly PropertyKey[]
  readonly text: string
}

/** Finds keys of no read in the sections that have a key for each read. */
function* unknownReads(given: unknown, known: readonly string[]): Iterable<ConfigFinding> {
  for (const { at, path } of rows) {
    const section = at === 'reads' ? valueAt(given, path) : undefined
    const keys = isTree(section) ? Object.keys(section) : []
    for (const key of keys)
      if (!known.includes([...path, key].join('.'))) yield unknownKey([...path, key], known)
  }
}

function unknownKey(path: readonly PropertyKey[], known: readonly string[]): ConfigFinding {
  const hint = hintFor(keyOf(path.slice(0, -1)), String(path.at(-1)), known)
  return { path, text: `${keyOf(path)}: unknown key${hint}` }
}

function faultsOf(
  issue: z.core.$ZodIssue,
  given: unknown,
  known: readonly string[],
): readonly ConfigFinding[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey([...issue.path, key], known))
  const written = valueAt(given, issue.path)
  const value = optionAt(issue.path)?.secret ? 'what is set' : show(written)
  const meant =
    issue.code === 'invalid_value' && typeof written === 'string'
      ? suggestion(written, issue.values.map(String))
      : ''
  return [
    {
      path: issue.path,
      text: `${keyOf(issue.path) || 'the configuration'} must be ${issue.message}, not ${value}${meant}`,
    },
  ]
}

function hintFor(section: string, key: string, known: readonly string[]): string {
  const dotted = section === '' ? key : `${section}.${key}`
  if (key.includes('.') && known.includes(dotted))
    return `; it must be nested: ${dotted.split('.').toReversed().join(' below ')}`
  const meant = key.includes('.') ? meantWord(dotted, known) : meantKey(section, key, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

/** Returns a key of the same section with a similar name, or else of any section. */
function meantKey(section: string, name: string, known: readonly string[]): string | undefined {
  const below = section === '' ? '' : `${section}.`
  const siblings = known.filter((key) => key.startsWith(below) && !key.slice(below.length).includes('.'))
  for (const keys of [siblings, known]) {
    const meant = meantWord(name, keys.map(nameOf))
    if (meant !== undefined) return keys.find((key) => nameOf(key) === meant)
  }
  return undefined
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1)
}

function told(text: string, origin: string | undefined): string {
  return origin === undefined ? text : `${text} (in ${origin})`
}

function without(given: unknown, findings: readonly ConfigFinding[]): unknown {
  const rest = withoutNulls(given)
  for (const { path } of findings) {
    const whole = optionAt(path)?.path.length ?? path.length
    const key = path[whole - 1]
    const parent = valueAt(rest, path.slice(0, whole - 1))
    if (key === undefined) return {}
    if (isTree(parent)) delete parent[key as string]
  }
  return rest
}

/** Removes an option, and the section that has nothing else. */
function withoutOption(given: unknown, key: string): unknown {
  const [section = '', option = ''] = key.split('.')
  const { [section]: parent, ...rest } = given as Tree
  const { [option]: _, ...others } = parent as Tree
  return Object.keys(others).length === 0 ? rest : { ...rest, [section]: others }
}

/** Returns a path as users write it: `['a', 'b', 0, 'c.d']` becomes `a.b[0]."c.d"`. */
function keyOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`
    return `.${/^[\w-]+$/.test(String(part)) ? String(part) : JSON.stringify(part)}`
  })
  return parts.join('').slice(1)
}

function withoutNulls(value: unknown): unknown {
  return isTree(value) ? pruned(value, (_, inner) => inner !== null) : value
}

import { isDeepStrictEqual } from 'node:util'
import { valueAt } from '../lib/value-at.ts'
import { type EffectiveOption, effectiveOptions, shownValue, splitAtRead } from './effective.ts'
import type { LoadedConfig } from './load.ts'
import { parseConfig } from './parse.ts'
import type { Config } from './resolve.ts'
import { rows } from './rows.ts'
import { isTree, type Tree } from './tree.ts'

export type RunningConfig = Extract<LoadedConfig, { ok: true }>

export type Reload =
  /**
   * The daemon keeps the old configuration. The problems may come from new values together with old
   * values of options that need a restart.
   */
  | { readonly kind: 'kept'; readonly problems: readonly string[] }
  | {
      readonly kind: 'reloaded'
      readonly running: RunningConfig
      readonly changed: readonly string[]
      /**
       * Whether a changed option decides who is trusted. All reloadable options do, except
       * `logLevel`.
       */
      readonly changesTrust: boolean
      readonly needRestart: readonly string[]
    }

/**
 * Combines two configurations: options that can be reloaded come from `next`, all others from
 * `running`.
 */
export function reload(running: RunningConfig, next: LoadedConfig): Reload {
  if (!next.ok) return { kind: 'kept', problems: next.problems }
  const written = withReloaded(running.written, next.written)
  const parsed = parseConfig(written, { production: running.production })
  if (!parsed.ok) {
    const why = 'together with the options that apply only after a restart'
    return { kind: 'kept', problems: parsed.problems.map((problem) => `${problem} (${why})`) }
  }
  const found = differences(running.config, parsed.config)
  return {
    kind: 'reloaded',
    running: { ...running, ...parsed, written },
    changed: found.map(sentence),
    changesTrust: found.some(({ key }) => key !== 'logLevel'),
    needRestart: differences(parsed.config, next.config).map(({ key }) => key),
  }
}

function withReloaded(running: Tree, next: Tree): Tree {
  const merged = structuredClone(running)
  for (const row of rows) {
    if (row.at !== 'option' || row.reloads !== true) continue
    const [path] = splitAtRead(row.path)
    set(merged, path, valueAt(next, path))
  }
  return merged
}

function set(tree: Tree, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path
  if (rest.length > 0) {
    const inner = isTree(tree[key]) ? tree[key] : {}
    tree[key] = inner
    set(inner, rest, value)
  } else if (value === undefined) delete tree[key]
  else tree[key] = structuredClone(value)
}

interface Difference {
  readonly key: string
  readonly was: EffectiveOption | undefined
  readonly is: EffectiveOption | undefined
}

function differences(before: Config, after: Config): readonly Difference[] {
  const [was, is] = [before, after].map(
    (config) => new Map([...effectiveOptions(config)].map((option) => [option.key, option])),
  ) as [Map<string, EffectiveOption>, Map<string, EffectiveOption>]
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((key) => ({ key, was: was.get(key), is: is.get(key) }))
    .filter((found) => !isDeepStrictEqual(found.was?.value, found.is?.value))
}

function sentence({ key, was, is }: Difference): string {
  const isSecret = (was ?? is)?.option.secret === true
  if (isSecret && was !== undefined && is !== undefined) return `${key} has another value`
  return `${key} is ${is === undefined ? 'unset' : shownValue(is)}, was ${was === undefined ? 'unset' : shownValue(was)}`
}

import { isDeepStrictEqual } from 'node:util'
import { type EffectiveOption, effectiveOptions, shownValue, splitAtRead } from './effective.ts'
import type { LoadedConfig } from './load.ts'
import { parseConfig } from './parse.ts'
import type { Config } from './resolve.ts'
import { rows } from './rows.ts'
import { isTree, type Tree, valueAt } from './tree.ts'

/** A configuration without problems: what the users wrote, and what it results in. */
export type Running = Extract<LoadedConfig, { ok: true }>

export type Reload =
  /**
   * The daemon keeps the old configuration, because the new one has problems or violates a rule. The rules
   * are checked with the old values of all options that apply only after a restart.
   */
  | { readonly kind: 'kept'; readonly problems: readonly string[] }
  | {
      readonly kind: 'reloaded'
      readonly running: Running
      /** A sentence for each option whose new value applies from now on. */
      readonly changed: readonly string[]
      /**
       * Whether one of the changed options decides who is trusted. All options that can be reloaded decide
       * that, except `logLevel`.
       */
      readonly changesTrust: boolean
      /** The keys of the options that have changed, but whose new values apply only after a restart. */
      readonly needRestart: readonly string[]
    }

/**
 * Makes the configuration for a reload. Options that can be reloaded come from `next`, and all others from `running`.
 * If `next` has problems, or the result violates a rule, the daemon must keep the old configuration.
 */
export function reload(running: Running, next: LoadedConfig): Reload {
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

/** Returns a copy of the running configuration. In it, the options that can be reloaded have the values of `next`. */
function withReloaded(running: Tree, next: Tree): Tree {
  const merged = structuredClone(running)
  for (const row of rows) {
    if (row.at !== 'option' || row.reloads !== true) continue
    const [path] = splitAtRead(row.path)
    set(merged, path, valueAt(next, path))
  }
  return merged
}

/** Sets the value at a path, or removes the key if the value is undefined. */
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

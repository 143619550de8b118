import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import type { Config } from '../config/resolve.ts'
import { anyRead, type ConfigRow, rows } from '../config/rows.ts'
import { redact, showBytes, showMilliseconds } from '../config/show.ts'
import { valueAt } from '../config/tree.ts'
import { exitCodes, type Print } from './print.ts'

/**
 * Prints the resulting configuration without secrets, or all of its problems. With `--json`, prints one line of JSON.
 * @returns the exit code: 0, or 78 if the daemon would not start.
 */
export async function checkConfig(
  args: readonly string[],
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const loaded = loadConfig(options)
  const { warnings, files } = loaded
  const code = loaded.ok ? exitCodes.ok : exitCodes.badConfig
  if (args.includes('--json')) {
    const found = loaded.ok
      ? { ok: true, options: Object.fromEntries(summary(loaded.config)) }
      : { ok: false, problems: loaded.problems }
    print.out(JSON.stringify({ ...found, warnings, files }))
    return code
  }
  for (const warning of warnings) print.err(`warning: ${warning}`)
  if (!loaded.ok) {
    for (const problem of loaded.problems) print.err(problem)
    return code
  }
  for (const file of files) print.out(`# ${file}`)
  for (const [key, value] of summary(loaded.config)) print.out(`${key}: ${value}`)
  return code
}

/** Yields every option that is set or has a default, with its value as a configuration file writes it. */
function* summary(config: Config): Iterable<readonly [key: string, value: string]> {
  for (const row of rows) {
    if (row.at === 'option' && row.path.includes(anyRead)) {
      const [table, own] = split(row.path)
      const reads = Object.keys((valueAt(config, table) as object | undefined) ?? {})
      for (const read of reads) yield* line(config, row, [...table, read, ...own])
    } else if (row.at === 'option') {
      yield* line(config, row, row.path)
    }
  }
}

function* line(
  config: Config,
  row: Extract<ConfigRow, { at: 'option' }>,
  path: readonly string[],
): Iterable<readonly [key: string, value: string]> {
  const value = valueAt(config, row.unit === 'ms' ? path.with(-1, `${path.at(-1)}Ms`) : path)
  if (value !== undefined) yield [path.join('.'), shown(row, value)]
}

function shown({ secret, unit }: Extract<ConfigRow, { at: 'option' }>, value: unknown): string {
  if (secret) return '(set)'
  if (unit === 'ms') return showMilliseconds(value as number)
  if (unit === 'bytes') return showBytes(value as number)
  return redact(typeof value === 'string' ? value : JSON.stringify(value))
}

/**
 * Splits the path of an option that can be set for each read: the path of the object whose keys are read ids, and the
 * path below each key.
 */
function split(path: readonly string[]): readonly [readonly string[], readonly string[]] {
  const index = path.indexOf(anyRead)
  return [path.slice(0, index), path.slice(index + 1)]
}

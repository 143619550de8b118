import type { z } from 'zod'
import type { OptionKind } from './kinds.ts'
import { anyRead, nodeOf, type OptionNotes } from './option.ts'
import { schema } from './options.ts'

export type ConfigRow =
  | { readonly at: 'section'; readonly path: readonly string[]; readonly says: string }
  | { readonly at: 'reads'; readonly path: readonly string[] }
  | ({ readonly at: 'option'; readonly path: readonly string[] } & ConfigOptionRow)

interface ConfigOptionRow extends OptionNotes {
  readonly mustBe: string
  readonly format?: OptionKind['format'] & string
  readonly unit?: 'ms' | 'bytes'
  readonly default?: unknown
}

export const rows: readonly ConfigRow[] = [...rowsOf(schema, [])]

/** The variables that set options. Options of single reads have none. */
export const ownVariables: readonly string[] = rows.flatMap((row) =>
  row.at === 'option' && row.env !== undefined ? row.env : [],
)

/**
 * Returns the keys that users may set, such as `http.port`. An option that every read has, such as
 * `cache.times.<read>.fresh`, has one key for each read.
 */
export function knownKeys(reads: readonly string[]): readonly string[] {
  return rows.flatMap(({ path }) => {
    const key = path.join('.')
    if (key === '') return []
    return path.includes(anyRead) ? reads.map((id) => key.replace(anyRead, id)) : [key]
  })
}

/**
 * Returns the option that a path belongs to: `['scanClient', 'seedUrls', 0]` belongs to
 * `scanClient.seedUrls`.
 */
export function optionAt(path: readonly PropertyKey[]): Extract<ConfigRow, { at: 'option' }> | undefined {
  for (const row of rows) {
    if (row.at !== 'option' || row.path.length > path.length) continue
    if (row.path.every((part, index) => part === path[index] || part === anyRead)) return row
  }
  return undefined
}

/** Returns an option's name for people: `http.port (HTTP_PORT)`. */
export function nameWithVariable(path: readonly string[]): string {
  const variable = optionAt(path)?.env
  return variable === undefined ? path.join('.') : `${path.join('.')} (${variable})`
}

function* rowsOf(at: z.ZodType, path: readonly string[]): Iterable<ConfigRow> {
  const node = nodeOf(at)
  if (node.at === 'reads') {
    yield { at: 'reads', path }
    yield* rowsOf(node.each, [...path, anyRead])
  } else if (node.at === 'section') {
    yield { at: 'section', path, says: node.says }
    for (const [key, inner] of Object.entries(node.shape)) yield* rowsOf(inner, [...path, key])
  } else {
    const { mustBe, format, unit } = node.kind
    const given = node.default === undefined ? {} : { default: node.default }
    const variable = path.includes(anyRead) ? {} : { env: variableOf(path) }
    yield {
      at: 'option',
      path,
      mustBe,
      ...(format && { format }),
      ...(unit && { unit }),
      ...variable,
      ...node.about,
      ...given,
    }
  }
}

/** Returns the variable of an option: `scanClient.rosterFile` is set by `SCAN_ROSTER_FILE`. */
function variableOf([section = '', ...keys]: readonly string[]): string {
  const words = [section === 'scanClient' ? 'scan' : section, ...keys].join('_')
  return words.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

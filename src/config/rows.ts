import type { z } from 'zod'
import { nodeOf, type OptionNotes } from './option.ts'
import { schema } from './options.ts'
import { readIds } from './read-ids.ts'

/** A section or an option of the configuration. Rows are in the order of the schema. */
export type ConfigRow =
  | { readonly at: 'section'; readonly path: readonly string[]; readonly says: string }
  /** A section with one key for each read. */
  | { readonly at: 'reads'; readonly path: readonly string[] }
  | ({ readonly at: 'option'; readonly path: readonly string[] } & OptionRow)

interface OptionRow extends OptionNotes {
  /** The condition on a value, in the words that follow "must be" in an error message. */
  readonly is: string
  /** The type to which the text of a variable or a flag is converted. Absent if the text itself is the value. */
  readonly format?: 'number' | 'boolean' | 'list'
  readonly unit?: 'ms' | 'bytes'
  /** The default as users write it. Absent if there is none, or if it depends on other options. */
  readonly default?: unknown
}

/** Stands for the id of a read, in the path of an option that can be set for each read separately. */
export const anyRead = '<read>'

/**
 * All sections and options. An option that can be set for each read appears once, with `<read>` in its path.
 */
export const rows: readonly ConfigRow[] = [...rowsOf(schema, [])]

/**
 * The paths of all sections and options that a user may set. An option that can be set for each read appears
 * once for each read.
 */
export const knownKeys: readonly string[] = rows.flatMap(({ path }) => {
  const key = path.join('.')
  if (key === '') return []
  return path.includes(anyRead) ? readIds.map((id) => key.replace(anyRead, id)) : [key]
})

/**
 * Returns the option to which a path belongs. Returns undefined if the path belongs to no option.
 * `['scanClient', 'seedUrls', 0]` belongs to the list at `scanClient.seedUrls`.
 */
export function optionAt(path: readonly PropertyKey[]): Extract<ConfigRow, { at: 'option' }> | undefined {
  for (const row of rows) {
    if (row.at !== 'option' || row.path.length > path.length) continue
    if (row.path.every((part, index) => part === path[index] || isRead(part, path[index]))) return row
  }
  return undefined
}

function isRead(part: string, given: PropertyKey | undefined): boolean {
  return part === anyRead && readIds.some((id) => id === given)
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
    const { is, format, unit } = node.kind
    const given = node.default === undefined ? {} : { default: node.default }
    yield {
      at: 'option',
      path,
      is,
      ...(format && { format }),
      ...(unit && { unit }),
      ...node.about,
      ...given,
    }
  }
}

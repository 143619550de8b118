import type { z } from 'zod'
import { nodeOf, type OptionNotes } from './option.ts'
import { readIds } from './read-ids.ts'
import { schema } from './schema.ts'

/** A node of the schema. Nodes are in the order in which users write them. */
export type ConfigRow =
  | { readonly at: 'section'; readonly path: readonly string[]; readonly says: string }
  /** A table with one key per read. */
  | { readonly at: 'reads'; readonly path: readonly string[] }
  | ({ readonly at: 'option'; readonly path: readonly string[] } & OptionRow)

interface OptionRow extends OptionNotes {
  /** The end of the sentence "... must be". */
  readonly is: string
  /** The conversion of an environment variable's text; absent if the text is the value. */
  readonly format?: 'number' | 'boolean' | 'list'
  readonly unit?: 'ms' | 'bytes'
  /** The default in written form; absent if it depends on other options. */
  readonly default?: unknown
}

/** The part of a path that stands for any read. */
export const anyRead = '<read>'

/** Every section and option. Options that exist per read appear once, with `<read>` in their paths. */
export const rows: readonly ConfigRow[] = [...rowsOf(schema, [])]

/** Every path that a user may set, including sections. Options that exist per read appear once for each read. */
export const knownKeys: readonly string[] = rows.flatMap(({ path }) => {
  const key = path.join('.')
  if (key === '') return []
  return path.includes(anyRead) ? readIds.map((id) => key.replace(anyRead, id)) : [key]
})

/** The option at or above a path. The option at `['scanClient', 'seedUrls', 0]` is the list. */
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

import type { z } from 'zod'
import { nodeOf, type OptionNotes } from './option.ts'
import { readIds } from './read-ids.ts'
import { schema } from './schema.ts'

/** One place of the schema, in the order it is written in. */
export type ConfigRow =
  | { readonly at: 'section'; readonly path: readonly string[]; readonly says: string }
  /** A table with a key for each read. */
  | { readonly at: 'reads'; readonly path: readonly string[] }
  | ({ readonly at: 'option'; readonly path: readonly string[] } & OptionRow)

interface OptionRow extends OptionNotes {
  /** What a value has to be; ends the sentence "... must be". */
  readonly is: string
  /** How an environment variable is read; absent where its text is the value. */
  readonly format?: 'number' | 'boolean' | 'list'
  readonly unit?: 'ms' | 'bytes'
  /** As people write it; absent where the default hangs on other options. */
  readonly default?: unknown
}

/** Stands for each of the reads in a path. */
export const anyRead = '<read>'

/** Every section and option; those that exist for each read once, with `<read>` in their path. */
export const rows: readonly ConfigRow[] = [...rowsOf(schema, [])]

/** Every path that may be set, each read by its own name, sections included. */
export const knownKeys: readonly string[] = rows.flatMap(({ path }) => {
  const key = path.join('.')
  if (key === '') return []
  return path.includes(anyRead) ? readIds.map((id) => key.replace(anyRead, id)) : [key]
})

/** The option at a path or around it: that of `['scanClient', 'seedUrls', 0]` is the list. */
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

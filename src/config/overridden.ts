import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { splitAtRead } from './effective.ts'
import type { Layers } from './layers.ts'
import { rows } from './rows.ts'
import { valueAt } from './tree.ts'

/**
 * Returns a sentence for each option in a user's file that a variable or a flag overrides with
 * another value.
 * @param ownFolder the folder of this package's own files, which are meant to be overridden.
 */
export function overriddenOptions(layers: Layers, ownFolder: string): readonly string[] {
  const files = new Set(layers.files.filter((file) => dirname(file) !== ownFolder))
  return rows.flatMap((row) => {
    if (row.at !== 'option') return []
    const [path] = splitAtRead(row.path)
    const setting = layers.getSources().filter(({ parsed }) => valueAt(parsed, path) !== undefined)
    const file = setting.findLast(({ name }) => files.has(name))
    const winner = setting.at(-1)
    if (file === undefined || winner === undefined || layers.files.includes(winner.name)) return []
    if (isDeepStrictEqual(valueAt(file.parsed, path), valueAt(winner.parsed, path))) return []
    return `${path.join('.')} in ${layers.shown(file.name)} is overridden by ${layers.origin(path)}`
  })
}

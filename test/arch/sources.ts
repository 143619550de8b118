import { globSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `uses` imports values, at run time. `knows` imports types only. `loads` is an `import()`. */
export type ImportKind = 'uses' | 'knows' | 'loads'

export interface Import {
  readonly kind: ImportKind
  readonly from: string
}

export interface Source {
  readonly path: string
  readonly text: string
  readonly code: string
  readonly imports: readonly Import[]
}

const clause = String.raw`(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\w+(?:\s*,\s*\{[^}]*\})?|\{[^}]*\})\s+from\s+`
const statement = new RegExp(String.raw`^(?:import|export)\s+(${clause})?'([^']+)'`, 'gm')
const dynamic = /\bimport\(\s*'([^']+)'\s*\)/g

/** Returns all imports and re-exports of a text. The regular expressions understand only the formatter's style. */
function importsOf(text: string): readonly Import[] {
  const code = withoutComments(text)
  const stated = [...code.matchAll(statement)].map(
    ([, names = '', from = '']): Import => ({ kind: namesOnlyTypes(names) ? 'knows' : 'uses', from }),
  )
  const loaded = [...code.matchAll(dynamic)].map(([, from = '']): Import => ({ kind: 'loads', from }))
  return [...stated, ...loaded]
}

/** Removes comments that begin a line or come after a blank. The `//` of a URL does neither. */
function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/(^|\s)\/\/ .*$/gm, '$1')
}

function namesOnlyTypes(names: string): boolean {
  if (/^type\s/.test(names)) return true
  const [, listed] = /^\{([^}]*)\}/.exec(names) ?? []
  if (listed === undefined) return false
  const each = listed.split(',').map((name) => name.trim())
  return each.every((name) => name === '' || name.startsWith('type '))
}

export function targetOf(path: string, { from }: Import): string | undefined {
  return from.startsWith('.') ? posix.join(posix.dirname(path), from) : undefined
}

/** A file at the top of `src/` belongs to the wing `cli`, which is the last one too. */
export function wingOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] as string) : 'cli'
}

const wingsWithRooms: readonly string[] = ['base', 'core', 'registry', 'server']

/** The `open.ts` of a room wires what is in the room, and is a room of its own. */
export function roomOf(path: string): string {
  if (isWiring(path)) return path
  const [wing = '', room = ''] = path.split('/')
  return wingsWithRooms.includes(wing) ? `${wing}/${room}` : wing
}

export function isWiring(path: string): boolean {
  return !path.includes('/') || path.endsWith('/open.ts')
}

export const top = fileURLToPath(new URL('../../', import.meta.url))

export const sources: readonly Source[] = globSync('src/**/*.{ts,js}', { cwd: top, exclude: ['**/*.min.js'] })
  .map((file) => relative('src', file).replaceAll('\\', '/'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(top, 'src', path), 'utf8')
    return { path, text, code: withoutComments(text), imports: importsOf(text) }
  })

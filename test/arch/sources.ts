import { globSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `uses`: values, needed at run time. `knows`: types alone, gone at run time. `loads`: by `import()`. */
export type ImportKind = 'uses' | 'knows' | 'loads'

export interface Import {
  readonly kind: ImportKind
  /** The specifier as it is written: a path, a package, or a module of Node. */
  readonly from: string
}

/** One file of `src/`. */
export interface Source {
  /** The path below `src/`, with slashes. */
  readonly path: string
  readonly text: string
  /** The text without comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

const clause = String.raw`(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\w+(?:\s*,\s*\{[^}]*\})?|\{[^}]*\})\s+from\s+`
const statement = new RegExp(String.raw`^(?:import|export)\s+(${clause})?'([^']+)'`, 'gm')
const dynamic = /\bimport\(\s*'([^']+)'\s*\)/g

/** Returns every import and re-export of a text in the formatter's style. */
export function importsOf(text: string): readonly Import[] {
  const code = withoutComments(text)
  const stated = [...code.matchAll(statement)].map(
    ([, names = '', from = '']): Import => ({ kind: isErased(names) ? 'knows' : 'uses', from }),
  )
  const loaded = [...code.matchAll(dynamic)].map(([, from = '']): Import => ({ kind: 'loads', from }))
  return [...stated, ...loaded]
}

/**
 * Removes comments on lines of their own or after a blank. A text that only looks like one, as in a URL, stays.
 */
export function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/(^|\s)\/\/ .*$/gm, '$1')
}

/** Whether an import names only types, so that nothing is left of it at run time. */
function isErased(names: string): boolean {
  if (/^type\s/.test(names)) return true
  const [, listed] = /^\{([^}]*)\}/.exec(names) ?? []
  if (listed === undefined) return false
  const each = listed.split(',').map((name) => name.trim())
  return each.every((name) => name === '' || name.startsWith('type '))
}

/**
 * Returns the file of `src/` to which an import of `path` leads; undefined for packages and modules of Node.
 */
export function targetOf(path: string, { from }: Import): string | undefined {
  return from.startsWith('.') ? posix.join(posix.dirname(path), from) : undefined
}

/** Returns the room of a file of `src/`: its folder, or the file itself if it is at the top. */
export function roomOf(path: string): string {
  return path.split('/')[0] as string
}

/** The top of the repository. */
export const top = fileURLToPath(new URL('../../', import.meta.url))

/** All code that people write: what a program wrote for browsers is left out. */
export const sources: readonly Source[] = globSync('src/**/*.{ts,js}', { cwd: top, exclude: ['**/*.min.js'] })
  .map((file) => relative('src', file).replaceAll('\\', '/'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(top, 'src', path), 'utf8')
    return { path, text, code: withoutComments(text), imports: importsOf(text) }
  })

import { expect, test } from 'vitest'
import { sources } from './sources.ts'

test('every import of src is seen', () => {
  expect(sources.length).toBeGreaterThan(100)
  for (const { path, code, imports } of sources) {
    const written = code.match(/^import\b/gm)?.length ?? 0
    const exported = code.match(/^export (?:type )?\{[^}]*\} from '/gm)?.length ?? 0
    const stated = imports.filter(({ kind }) => kind !== 'loads')
    expect(stated.length, path).toBe(written + exported)
  }
})

/**
 * These files decide at run time what they load. `bin.js` loads the sources or a build, and the judge
 * thread the file of its job. The other one runs in browsers and loads a file that has a hash in its name.
 */
const choosing = ['bin.js', 'core/scan/judge-worker.ts', 'server/ui/assets/receipt.js']

test('every import() names what it loads, except in the files that choose it', () => {
  for (const { path, code, imports } of sources) {
    const loads = imports.filter(({ kind }) => kind === 'loads')
    expect(code.match(/\bimport\(/g)?.length ?? 0, path).toBe(choosing.includes(path) ? 1 : loads.length)
  }
})

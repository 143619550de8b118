import { expect, test } from 'vitest'
import { importsOf, sources, withoutComments } from './sources.ts'

test.each([
  ["import { a } from './a.ts'", 'uses', './a.ts'],
  ["import { type A, a } from './a.ts'", 'uses', './a.ts'],
  ["import a, { b } from 'a'", 'uses', 'a'],
  ["import * as a from 'a'", 'uses', 'a'],
  ["import 'a'", 'uses', 'a'],
  ["import {\n  a,\n  type B,\n} from './a.ts'", 'uses', './a.ts'],
  ["import type { A } from './a.ts'", 'knows', './a.ts'],
  ["import { type A, type B } from './a.ts'", 'knows', './a.ts'],
  ["import {\n  type A,\n  type B,\n} from './a.ts'", 'knows', './a.ts'],
  ["import type A from './a.ts'", 'knows', './a.ts'],
  ["export { a } from './a.ts'", 'uses', './a.ts'],
  ["export type { A } from './a.ts'", 'knows', './a.ts'],
  ["export * from './a.ts'", 'uses', './a.ts'],
  ["const { a } = await import('./a.ts')", 'loads', './a.ts'],
])('%s is an import that is seen', (text, kind, from) => {
  expect(importsOf(text)).toEqual([{ kind, from }])
})

test.each([
  "export const a = 'a'",
  "export function a() {\n  return 'a'\n}",
  "// import { a } from 'a'",
  "/**\n * import { a } from 'a'\n */",
  "const text = 'taken from ' + 'a'",
])('%s is no import', (text) => {
  expect(importsOf(text)).toEqual([])
})

test('a URL is no comment', () => {
  expect(withoutComments("const url = 'https://example.org' // of nobody")).toBe(
    "const url = 'https://example.org' ",
  )
})

test('every import of src is seen', () => {
  expect(sources.length).toBeGreaterThan(100)
  for (const { path, code, imports } of sources) {
    const written = code.match(/^import\b/gm)?.length ?? 0
    const exported = code.match(/^export .* from '/gm)?.length ?? 0
    const stated = imports.filter(({ kind }) => kind !== 'loads')
    expect(stated.length, path).toBe(written + exported)
  }
})

/**
 * These files decide at run time what they load. `bin.js` loads the sources or a build. The others run in browsers and
 * load files that have a hash in their names.
 */
const choosing = ['bin.js', 'ui/assets/page.js', 'ui/assets/receipt.js']

test('every import() names what it loads, except in the files that choose it', () => {
  for (const { path, code, imports } of sources) {
    const loads = imports.filter(({ kind }) => kind === 'loads')
    expect(code.match(/\bimport\(/g)?.length ?? 0, path).toBe(choosing.includes(path) ? 1 : loads.length)
  }
})

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reached } from '../arch/graph.ts'
import { sources, targetOf, top, wingOf } from '../arch/sources.ts'

const page = readFileSync(join(top, 'docs/audit.md'), 'utf8')

test('the audit lists each file of core once, and others that exist', () => {
  const named = [...page.matchAll(/`([\w-]+\/[\w./*-]+\.ts)`/g)].map(([, path = '']) => path)
  const files = named.filter((path) => path.startsWith('core/'))
  const others = named.filter((path) => !files.includes(path))
  const listed = files.flatMap((path) =>
    path.includes('*') ? globSync(path, { cwd: join(top, 'src') }) : path,
  )
  const all = sources.map(({ path }) => path).filter((path) => path.startsWith('core/'))
  expect(listed.sort()).toEqual(all.sort())
  expect(others.length).toBeGreaterThan(6)
  const exists = (path: string) => ['.', 'src'].some((folder) => existsSync(join(top, folder, path)))
  expect(others.filter((path) => !exists(path))).toEqual([])
})

test('all that the reader of answers reaches is in core and base', () => {
  const graph = new Map(
    sources.map((source) => [source.path, source.imports.flatMap((one) => targetOf(source.path, one) ?? [])]),
  )
  const files = [...reached(graph, ['core/scan/reader.ts'])]
  expect([...new Set(files.map(wingOf))].sort()).toEqual(['base', 'core'])
})

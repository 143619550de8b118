import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reached } from '../arch/graph.ts'
import { sources, targetOf, top } from '../arch/sources.ts'

const page = readFileSync(join(top, 'docs/audit.md'), 'utf8')
const core = ['quorum', 'reads', 'scan', 'cache', 'guard']
const base = ['lib', 'errors', 'config', 'telemetry']
const folderOf = (path: string) => path.split('/')[0] as string

test('the audit lists each file of the five rooms once, and others that exist', () => {
  const named = [...page.matchAll(/`([\w-]+\/[\w./*-]+\.ts)`/g)].map(([, path = '']) => path)
  const files = named.filter((path) => core.includes(folderOf(path)))
  const others = named.filter((path) => !files.includes(path))
  const listed = files.flatMap((path) =>
    path.includes('*') ? globSync(path, { cwd: join(top, 'src') }) : path,
  )
  const all = sources.map(({ path }) => path).filter((path) => core.includes(folderOf(path)))
  expect(listed.sort()).toEqual(all.sort())
  expect(others.length).toBeGreaterThan(6)
  const exists = (path: string) => ['.', 'src'].some((folder) => existsSync(join(top, folder, path)))
  expect(others.filter((path) => !exists(path))).toEqual([])
})

test('nothing that the reader of answers reaches is outside the rooms that the audit names', () => {
  const graph = new Map(
    sources.map((source) => [source.path, source.imports.flatMap((one) => targetOf(source.path, one) ?? [])]),
  )
  const outside = [...reached(graph, ['scan/reader.ts'])].map(folderOf)
  expect([...new Set(outside)].sort()).toEqual([...core, ...base].sort())
})

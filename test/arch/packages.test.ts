import { readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { reached } from './graph.ts'
import { sources, targetOf, top } from './sources.ts'
import { packages } from './tables.ts'

const imported = sources.flatMap(({ path, imports }) =>
  imports
    .filter(({ from }) => !from.startsWith('.') && !from.startsWith('node:'))
    .map(({ kind, from }) => ({ path, kind, name: packageIn(from) })),
)

test('every import of a package is in the table', () => {
  const forbidden = imported.filter(({ path, kind, name }) => {
    const { uses = [], knows = [] } = packages[name] ?? {}
    const allowed = kind === 'knows' ? [...uses, ...knows] : uses
    return !allowed.some((pattern) => matchesGlob(path, pattern))
  })
  expect(forbidden.map(({ path, kind, name }) => `${path} ${kind} ${name}`)).toEqual([])
})

test('the table lists no import of a package that no file has', () => {
  const idle = Object.entries(packages).flatMap(([name, { uses, knows = [] }]) => [
    ...uses.filter((pattern) => !isUsed(name, pattern, 'uses')),
    ...knows.filter((pattern) => !isUsed(name, pattern, 'knows')),
  ])
  expect(idle).toEqual([])
})

test('the table has exactly the packages that are installed for running', () => {
  const { dependencies } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))
  expect(Object.keys(packages).sort()).toEqual(Object.keys(dependencies).sort())
})

test('the library brings neither configuration files nor a server nor a localnet with it', () => {
  const graph = sources.map(
    ({ path, imports }) =>
      [
        path,
        imports.filter(({ kind }) => kind !== 'knows').flatMap((one) => targetOf(path, one) ?? []),
      ] as const,
  )
  const files = reached(new Map(graph), ['core/scan/open.ts'])
  const used = imported.filter(({ path, kind }) => files.has(path) && kind !== 'knows')
  expect([...new Set(used.map(({ name }) => name))].sort()).toEqual([
    'ioredis',
    'lru-cache',
    'prom-client',
    'undici',
    'zod',
  ])
  expect([...files].filter((path) => path.startsWith('localnet/'))).toEqual([])
})

test('modules of Node are called by their full name', () => {
  const names = imported.map(({ name }) => name)
  expect(names.filter((name) => !Object.hasOwn(packages, name))).toEqual([])
})

function isUsed(name: string, pattern: string, kind: 'uses' | 'knows'): boolean {
  const kinds: readonly string[] = kind === 'uses' ? ['uses', 'loads'] : [kind]
  return imported.some(
    (one) => one.name === name && kinds.includes(one.kind) && matchesGlob(one.path, pattern),
  )
}

function packageIn(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')
}

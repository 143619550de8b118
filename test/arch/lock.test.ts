import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { top } from './sources.ts'

interface Locked {
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const text = readFileSync(join(top, 'package-lock.json'), 'utf8')
const { packages }: { packages: Readonly<Record<string, Locked>> } = JSON.parse(text)

// `npm ci` rejects a lock file that lacks a package for any platform, even if `npm ci` runs on another platform.
test('every package that a locked one may need is locked too, for all platforms', () => {
  const locked = new Set(
    Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)),
  )
  const needed = Object.values(packages).flatMap(({ dependencies = {}, optionalDependencies = {} }) => [
    ...Object.keys(dependencies),
    ...Object.keys(optionalDependencies),
  ])
  expect(needed.length).toBeGreaterThan(100)
  expect(needed.filter((name) => !locked.has(name))).toEqual([])
})

test('the lock names no registry, so that every machine asks its own', () => {
  expect(Object.values(packages).flatMap(({ resolved }) => resolved ?? [])).toEqual([])
  expect(text).not.toContain('://registry')
})

test('the lock is of this package', () => {
  const { name, version, bin, dependencies, devDependencies, engines } = JSON.parse(
    readFileSync(join(top, 'package.json'), 'utf8'),
  )
  expect(packages['']).toMatchObject({ name, version, bin, dependencies, devDependencies, engines })
})

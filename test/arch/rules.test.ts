import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { roomOf, sources, targetOf } from './sources.ts'
import { impure, namesDrivers, reserved } from './tables.ts'

test.each(reserved)('$why', ({ words, only }) => {
  const writers = sources.filter(({ code }) => words.test(code)).map(({ path }) => path)
  expect(writers).toEqual(only)
})

test('agreement neither waits, nor asks the time, nor tells', () => {
  const core = sources.filter(({ path }) => roomOf(path) === 'quorum')
  expect(core.length).toBeGreaterThan(5)
  const told = core.flatMap(({ path, code }) => {
    const found = impure.exec(code)
    return found === null ? [] : [`${path}: ${found[0]}`]
  })
  expect(told).toEqual([])
})

test('only what puts the daemon together names a driver', () => {
  const drivers = sources.filter(({ path }) => driverOf(path) !== undefined).map(({ path }) => path)
  expect(drivers).toContain('scan/node.undici.ts')
  const strangers = sources.flatMap(({ path, imports }) =>
    imports.flatMap((imported) => {
      const target = targetOf(path, imported)
      if (target === undefined || !drivers.includes(target) || isOfDriver(path, target)) return []
      return namesDrivers.some((pattern) => matchesGlob(path, pattern)) ? [] : [`${path} names ${target}`]
    }),
  )
  expect(strangers).toEqual([])
})

interface Driver {
  readonly folder: string
  readonly thing: string
  readonly by: string
}

/** `scan/node.undici.ts`: the folder, the port and what it is driven by; undefined for files that are no driver. */
function driverOf(path: string): Driver | undefined {
  const [, folder, thing, by] = /^(.*)\/([^/.]+)\.([^/.]+)\.ts$/.exec(path) ?? []
  if (folder === undefined || thing === undefined || by === undefined) return undefined
  return { folder, thing, by }
}

/** Parts of one driver may name each other: they share the thing or what it is driven by. */
function isOfDriver(path: string, target: string): boolean {
  const [one, other] = [driverOf(path), driverOf(target)]
  if (one === undefined || other === undefined || one.folder !== other.folder) return false
  return one.thing === other.thing || one.by === other.by
}

test('an exported type has a name of its own: the localnet alone repeats what the outside world names', () => {
  const rooms = new Map<string, Set<string>>()
  for (const { path, text } of sources.filter((source) => roomOf(source.path) !== 'localnet'))
    for (const [, name = ''] of text.matchAll(/^export (?:abstract )?(?:interface|type|class) ([A-Z]\w*)/gm))
      rooms.set(name, (rooms.get(name) ?? new Set()).add(roomOf(path)))
  const shared = [...rooms].filter(([, where]) => where.size > 1).map(([name, where]) => [name, ...where])
  expect(shared).toEqual([])
})

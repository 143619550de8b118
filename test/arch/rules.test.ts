import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { roomOf, sources, targetOf } from './sources.ts'
import { impure, namesDrivers, parsesByEngine, parsesOfScans, reserved } from './tables.ts'

test.each(reserved)('$why', ({ words, only }) => {
  const writers = sources.filter(({ code }) => words.test(code)).map(({ path }) => path)
  expect(writers).toEqual([...only].sort())
})

test('texts from outside are read by parseJsonText, as the engine may mistake an escaped key for another one', () => {
  const parsers = sources
    .filter(({ code }) => /\bJSON\.parse\b|\.json\(\)/.test(code))
    .map(({ path }) => path)
  expect(parsers).toEqual(Object.keys(parsesByEngine).sort())
})

test('long bodies of scans are parsed by jobs of the judge thread, and not on the thread that serves callers', () => {
  const parsers = sources
    .filter(({ path }) => /^(?:core\/scan|mirror|doctor)\//.test(path))
    .filter(({ code }) => /\b(?:JSON\.parse|parseJson|parseJsonText|tryJsonText|tryParse)\(/.test(code))
    .map(({ path }) => path)
  expect(parsers).toEqual(Object.keys(parsesOfScans).sort())
})

test('the rules of agreement neither wait, nor read a clock, nor log', () => {
  const core = sources.filter(({ path }) => roomOf(path) === 'core/quorum')
  expect(core.length).toBeGreaterThan(5)
  const told = core.flatMap(({ path, code }) => {
    const found = impure.exec(code)
    return found === null ? [] : [`${path}: ${found[0]}`]
  })
  expect(told).toEqual([])
})

test('only the wiring names a driver', () => {
  const drivers = sources.filter(({ path }) => driverOf(path) !== undefined).map(({ path }) => path)
  expect(drivers).toContain('core/scan/node.undici.ts')
  const strangers = sources.flatMap(({ path, imports }) =>
    imports.flatMap((imported) => {
      const target = targetOf(path, imported)
      if (target === undefined || !drivers.includes(target) || areOfOneDriver(path, target)) return []
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

/** The driver `core/scan/node.undici.ts` has the folder `scan`, the port `node` and the package `undici`. */
function driverOf(path: string): Driver | undefined {
  const [, folder, thing, by] = /^(.*)\/([^/.]+)\.([^/.]+)\.ts$/.exec(path) ?? []
  if (folder === undefined || thing === undefined || by === undefined) return undefined
  return { folder, thing, by }
}

function areOfOneDriver(path: string, target: string): boolean {
  const [one, other] = [driverOf(path), driverOf(target)]
  if (one === undefined || other === undefined || one.folder !== other.folder) return false
  return one.thing === other.thing || one.by === other.by
}

test('each exported type has a name of its own, except in the localnet, which repeats names of the network', () => {
  const files = new Map<string, Set<string>>()
  for (const { path, text } of sources.filter((source) => roomOf(source.path) !== 'localnet'))
    for (const [, name = ''] of text.matchAll(/^export (?:abstract )?(?:interface|type|class) ([A-Z]\w*)/gm))
      files.set(name, (files.get(name) ?? new Set()).add(path))
  const shared = [...files].filter(([, where]) => where.size > 1).map(([name, where]) => [name, ...where])
  expect(shared).toEqual([])
})

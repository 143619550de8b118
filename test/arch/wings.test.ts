import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cycles, reached } from './graph.ts'
import { roomOf, type Source, sources, targetOf, top, wingOf } from './sources.ts'
import { withoutNode } from './tables.ts'

interface Wing {
  readonly name: string
  readonly imports: readonly string[]
  readonly onlyTypes: readonly string[]
}

/** The table of `docs/build/architecture.md`. */
const wings: readonly Wing[] = [
  ...readFileSync(join(top, 'docs/build/architecture.md'), 'utf8').matchAll(
    /^\| `(\w+)\/`[^|]*\|[^|]*\|([\w, ]*)\|([\w, ]*)\|$/gm,
  ),
].map(([, name = '', imports = '', onlyTypes = '']) => ({
  name,
  imports: imports.match(/\w+/g) ?? [],
  onlyTypes: onlyTypes.match(/\w+/g) ?? [],
}))

interface Crossing {
  readonly from: string
  readonly to: string
  readonly isType: boolean
  /** A sentence such as `core/scan/reader.ts uses core/cache/key.ts`. */
  readonly says: string
}

const crossings = sources.flatMap((source) =>
  source.imports.flatMap((imported): Crossing[] => {
    const target = targetOf(source.path, imported)
    if (target === undefined) return []
    const [from, to] = [wingOf(source.path), wingOf(target)]
    const says = `${source.path} ${imported.kind} ${target}`
    return from === to ? [] : [{ from, to, isType: imported.kind === 'knows', says }]
  }),
)

test('every folder of src has a row', () => {
  expect(wings.map(({ name }) => name).sort()).toEqual(
    [...new Set(sources.map(({ path }) => wingOf(path)))].sort(),
  )
})

test('every import of a wing is in the table', () => {
  const forbidden = crossings.filter(({ from, to, isType }) => {
    const { imports = [], onlyTypes = [] } = wings.find(({ name }) => name === from) ?? {}
    return !imports.includes(to) && !(isType && onlyTypes.includes(to))
  })
  expect(forbidden.map(({ says }) => says)).toEqual([])
})

test('the table lists no import of a wing that no file has', () => {
  const idle = wings.flatMap(({ name, imports, onlyTypes }) => {
    const ofWing = crossings.filter(({ from }) => from === name)
    return [
      ...imports.filter((other) => !ofWing.some(({ to, isType }) => to === other && !isType)),
      ...onlyTypes.filter((other) => !ofWing.some(({ to, isType }) => to === other && isType)),
    ].map((other) => `${name} ${other}`)
  })
  expect(idle).toEqual([])
})

test('a wing imports only wings above it in the table', () => {
  const upwards = wings.flatMap(({ name, imports, onlyTypes }, index) =>
    [...imports, ...onlyTypes]
      .filter((other) => !wings.slice(0, index).some((wing) => wing.name === other))
      .map((other) => `${name} ${other}`),
  )
  expect(upwards).toEqual([])
})

test('no room leads back to itself', () => {
  const graph = new Map<string, Set<string>>()
  for (const [path, targets] of filesBy(() => true)) {
    const others = graph.get(roomOf(path)) ?? new Set()
    for (const room of targets.map(roomOf)) if (room !== roomOf(path)) others.add(room)
    graph.set(roomOf(path), others)
  }
  expect(cycles(new Map([...graph].map(([room, others]) => [room, [...others]])))).toEqual([])
})

test('no file leads back to itself, not even by its types', () => {
  expect(cycles(filesBy(() => true))).toEqual([])
})

test('agreement, the table of reads and the client use nothing that only Node has', () => {
  const files = reached(
    filesBy(({ kind }) => kind === 'uses'),
    sources.filter(({ path }) => withoutNode.includes(roomOf(path))).map(({ path }) => path),
  )
  const needNode = sources.filter(
    ({ path, imports }) =>
      files.has(path) && imports.some(({ kind, from }) => kind === 'uses' && from.startsWith('node:')),
  )
  expect(files.size).toBeGreaterThan(100)
  expect(needNode.map(({ path }) => path)).toEqual([])
})

function filesBy(counts: (imported: Source['imports'][number]) => boolean): Map<string, readonly string[]> {
  return new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.filter(counts).flatMap((imported) => targetOf(path, imported) ?? []),
    ]),
  )
}

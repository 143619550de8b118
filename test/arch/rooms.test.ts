import { expect, test } from 'vitest'
import { cycles, reached } from './graph.ts'
import { type ImportKind, roomOf, type Source, sources, targetOf } from './sources.ts'
import { rooms, withoutNode } from './tables.ts'

interface Crossing {
  readonly kind: ImportKind
  readonly room: string
  readonly other: string
  /** A sentence such as `scan/reader.ts uses cache/key.ts`. */
  readonly says: string
}

const crossings = sources.flatMap((source) =>
  source.imports.flatMap((imported): Crossing[] => {
    const target = targetOf(source.path, imported)
    if (target === undefined) return []
    const [room, other] = [roomOf(source.path), roomOf(target)]
    const { kind } = imported
    return room === other ? [] : [{ kind, room, other, says: `${source.path} ${kind} ${target}` }]
  }),
)

test('every folder of src and every file at its top has a row', () => {
  expect(Object.keys(rooms).sort()).toEqual([...new Set(sources.map(({ path }) => roomOf(path)))].sort())
})

test('every import of a room is in the table', () => {
  const forbidden = crossings.filter(({ kind, room, other }) => {
    const { uses, knows, loads } = rooms[room] ?? { uses: [], knows: [], loads: [] }
    if (uses.includes(other)) return false
    return kind === 'uses' || !(kind === 'knows' ? knows : loads).includes(other)
  })
  expect(forbidden.map(({ says }) => says)).toEqual([])
})

test('the table lists no import of a room that no file has', () => {
  const idle = Object.entries(rooms).flatMap(([room, allowed]) =>
    (['uses', 'knows', 'loads'] as const).flatMap((kind) =>
      allowed[kind]
        .filter((other) => !crossings.some((c) => c.room === room && c.other === other && c.kind === kind))
        .map((other) => `${room} ${kind} ${other}`),
    ),
  )
  expect(idle).toEqual([])
})

test('no folder leads back to itself', () => {
  const graph = Object.entries(rooms).map(
    ([room, { uses, knows, loads }]) => [room, [...uses, ...knows, ...loads]] as const,
  )
  expect(cycles(new Map(graph))).toEqual([])
})

test('no file leads back to itself, not even by its types', () => {
  expect(cycles(filesBy(() => true))).toEqual([])
})

test('agreement and the table of reads use nothing that only Node has', () => {
  const files = reached(
    filesBy(({ kind }) => kind === 'uses'),
    sources.filter(({ path }) => withoutNode.includes(roomOf(path))).map(({ path }) => path),
  )
  const needNode = sources.filter(
    ({ path, imports }) =>
      files.has(path) && imports.some(({ kind, from }) => kind === 'uses' && from.startsWith('node:')),
  )
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

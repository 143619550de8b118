import { expect, test } from 'vitest'
import { AnsEntry } from '../../src/registry/ledger/daml/splice/ans.ts'
import type { Touched } from '../../src/registry/ledger/update.ts'
import { NameHistory } from '../../src/registry/names/name-history.ts'
import { ManualClock } from '../support/manual-clock.ts'

function watched() {
  const clock = new ManualClock()
  let tell: ((touched: Touched) => void) | undefined
  const watch = (watcher: (touched: Touched, offset: number) => void) => {
    tell = (touched) => watcher(touched, 1)
    return () => {
      tell = undefined
    }
  }
  const history = new NameHistory({ watch }, clock)
  const commit = (created: readonly string[], archived: readonly string[], ...names: readonly string[]) => {
    clock.advance(1_000)
    tell?.({ created, archived, names: names.map((name) => ({ name, user: 'alice::12' })) })
  }
  const of = (name: string) => history.of(name).map(({ what }) => what)
  return { history, commit, of, isWatching: () => tell !== undefined }
}

const entry = [AnsEntry.name]

test('a name that is registered, renewed and expires has that history, in order and with its times', () => {
  const { history, commit, of } = watched()
  commit(entry, [], 'alice.cns')
  commit(entry, entry, 'alice.cns', 'alice.cns')
  commit([], entry, 'alice.cns')
  expect(of('alice.cns')).toEqual(['registered', 'renewed', 'removed'])
  const times = history.of('alice.cns').map(({ at }) => Date.parse(at))
  expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 1_000, 2_000])
})

test('other names and commits that touch no name leave it alone', () => {
  const { commit, of } = watched()
  commit(entry, [], 'bob.cns')
  commit(['Splice.Amulet:Amulet'], [])
  expect(of('alice.cns')).toEqual([])
  expect(of('bob.cns')).toEqual(['registered'])
})

test('memory is bounded: of too many names the oldest go', () => {
  const { commit, of } = watched()
  for (let name = 0; name <= 10_000; name++) commit(entry, [], `name-${name}.cns`)
  expect(of('name-0.cns')).toEqual([])
  expect(of('name-1.cns')).toEqual(['registered'])
  for (let renewal = 0; renewal < 100; renewal++) commit(entry, entry, 'name-1.cns')
  expect(of('name-1.cns')).toHaveLength(50)
})

test('it stops watching when it is disposed', () => {
  const { history, isWatching } = watched()
  history[Symbol.dispose]()
  expect(isWatching()).toBe(false)
})

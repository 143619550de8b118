import { describe, expect, test } from 'vitest'
import { chainedId, commandKey, genesis, offsetIn, textDigest } from '../../../src/ledger/embedded/chain.ts'

describe('an update id', () => {
  const update = {
    offset: 2,
    kind: 'transaction',
    recordTime: 7,
    head: '{}',
    nodes: ['{"a":1}', '{"b":2}'],
  } as const
  const idOf = (changed: object = {}, previous = 'before') => {
    const content = { ...update, ...changed }
    return chainedId(previous, content, content.nodes.map(textDigest))
  }

  test('has the form of a multihash of SHA-256, and tells its offset', () => {
    expect(idOf()).toMatch(/^1220[0-9a-f]{64}$/)
    expect(idOf()).toBe(idOf())
    expect(offsetIn(idOf())).toBe(2)
    for (const other of ['', '1220', idOf().toUpperCase(), `${idOf()}0`, idOf().replace('1220', '1221')])
      expect(offsetIn(other)).toBeUndefined()
  })

  test('follows from everything in the update, and from the one before', () => {
    const ids = [
      idOf(),
      idOf({}, 'another'),
      idOf({ offset: 3 }),
      idOf({ kind: 'party' }),
      idOf({ recordTime: 8 }),
      idOf({ head: '{"a":0}' }),
      idOf({ nodes: [...update.nodes].reverse() }),
      idOf({ nodes: update.nodes.slice(1) }),
      idOf({ nodes: [update.nodes.join('')] }),
      idOf({ nodes: [] }),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('of the first follows from the synchronizer', () => {
    expect(genesis('a').updateId).not.toBe(genesis('b').updateId)
  })
})

describe('the key of a command', () => {
  const command = { userId: 'u', actAs: ['a', 'b'], commandId: 'c' }

  test('takes the parties as a set', () => {
    expect(commandKey({ ...command, actAs: ['b', 'a', 'b'] })).toBe(commandKey(command))
  })

  test('tells apart what differs in anything', () => {
    const keys = [
      command,
      { ...command, userId: 'v' },
      { ...command, actAs: ['a'] },
      { ...command, commandId: 'd' },
      { userId: 'u","a', actAs: ['b'], commandId: 'c' },
      { userId: 'u', actAs: ['a","b'], commandId: 'c' },
    ].map(commandKey)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

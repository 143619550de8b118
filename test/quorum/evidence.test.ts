import { describe, expect, test } from 'vitest'
import { electorateOf } from '../../src/quorum/electorate.ts'
import { dissenters, testimonies } from '../../src/quorum/evidence.ts'
import { equivocates } from '../../src/quorum/plan.ts'
import type { Item, Reply } from '../../src/quorum/reply.ts'
import { decide } from '../../src/quorum/rules.ts'

const voters = ['a', 'b', 'c', 'd'].map((name) => ({ names: [name], operator: name }))
const electorate = electorateOf(voters, 'f+1')

const value = (vote: string, ...keys: string[]): Reply => ({
  kind: 'value',
  vote,
  items: keys.map((key): Item => ({ key, vote: '1', later: '' })),
})
const refusal = (vote: string): Reply => ({ kind: 'refusal', vote })
const timeout: Reply = { kind: 'fault', fault: 'timeout' }
const starting: Reply = { kind: 'abstention', reason: 'starting' }

/** The dissenters from what is agreed. */
function dissentFrom(agree: 'whole' | 'items', heard: (Reply | undefined)[], fullPage?: number) {
  const verdict = decide(electorate, heard, { agree, patient: false })
  if (verdict === undefined) throw new Error('nothing is decided')
  return dissenters(verdict, heard, fullPage)
}

describe('testimonies', () => {
  test('group super validators by what they said, and leave out who was not heard', () => {
    expect(testimonies(electorate, [value('1'), refusal('1'), undefined, value('1')])).toEqual([
      { kind: 'value', what: '1', who: ['a', 'd'] },
      { kind: 'refusal', what: '1', who: ['b'] },
    ])
    expect(testimonies(electorate, [timeout, starting, timeout])).toEqual([
      { kind: 'fault', what: 'timeout', who: ['a', 'c'] },
      { kind: 'abstention', what: 'starting', who: ['b'] },
    ])
  })

  test('name every super validator behind a shared origin', () => {
    const shared = electorateOf([{ names: ['a', 'b'], operator: 'x' }], 'f+1')
    expect(testimonies(shared, [timeout])).toEqual([{ kind: 'fault', what: 'timeout', who: ['a', 'b'] }])
  })
})

describe('dissenters', () => {
  test('are those whose vote is another, not those that abstain, fail or are silent', () => {
    expect(dissentFrom('whole', [value('1'), value('1'), value('2'), undefined])).toEqual([2])
    expect(dissentFrom('whole', [value('1'), value('1'), refusal('404'), timeout])).toEqual([2])
    expect(dissentFrom('whole', [value('1'), value('1'), starting, timeout])).toEqual([])
    expect(dissentFrom('whole', [refusal('404'), refusal('404'), refusal('404'), value('1')])).toEqual([3])
  })

  test('of a list are those that list something else or leave an agreed item out', () => {
    const lists = [value('1', 'x', 'y'), value('2', 'x', 'y', 'forged'), value('3', 'x')]
    expect(dissentFrom('items', lists)).toEqual([1, 2])
  })

  test('of a list are not those whose page was full', () => {
    const lists = [value('1', 'x', 'y', 'z'), value('2', 'x', 'y', 'z', 'w'), value('3', 'x', 'y')]
    expect(dissentFrom('items', lists, 2)).toEqual([1])
    expect(dissentFrom('items', lists)).toEqual([1, 2])
  })

  test('there are none where nothing is agreed', () => {
    expect(dissentFrom('whole', [value('1'), value('2'), value('3'), value('4')])).toEqual([])
  })
})

describe('a super validator equivocates', () => {
  test.each([
    ['by a later different value', value('1'), value('2'), true],
    ['by a refusal after a value', value('404'), refusal('404'), true],
    ['not by saying the same again', value('1'), value('1'), false],
    ['not by failing', value('1'), timeout, false],
    ['not by answering after a fault', timeout, value('1'), false],
    ['not by answering after an abstention', starting, refusal('404'), false],
    ['not by its first answer', undefined, value('1'), false],
  ])('%s', (_, first, later, expected) => {
    expect(equivocates(first, later)).toBe(expected)
  })
})

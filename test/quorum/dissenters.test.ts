import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { companions, dissenters, fitsHistory, testimonies } from '../../src/core/quorum/dissenters.ts'
import { electorateOf } from '../../src/core/quorum/electorate.ts'
import type { Item, Reply } from '../../src/core/quorum/reply.ts'
import { decide } from '../../src/core/quorum/rules.ts'
import type { Verdict } from '../../src/core/quorum/verdict.ts'
import { historyReplies } from './elections.ts'

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

  test('of a list are those that refuse, and those of an agreed refusal are those that list', () => {
    expect(
      dissentFrom('items', [value('1', 'x'), value('2', 'x', 'y'), value('3', 'x', 'y'), refusal('404')]),
    ).toEqual([0, 3])
    const lists = [refusal('404'), refusal('404'), refusal('404'), value('1', 'x')]
    expect(dissentFrom('items', lists)).toEqual([3])
  })

  test('of an agreed list are those that give a value without any items', () => {
    const verdict: Verdict = {
      kind: 'agreed',
      on: 'items',
      items: [{ key: 'x', vote: '1', voters: [0, 1] }],
      members: [0, 1],
      rule: '',
    }
    const heard: Reply[] = [value('1', 'x'), value('1', 'x'), { kind: 'value', vote: '2' }]
    expect(dissenters(verdict, heard)).toEqual([2])
  })

  test('are those that refuse by the name of the agreed value, and those whose value has the name of the refusal', () => {
    const agreed = (on: 'value' | 'refusal'): Verdict => ({
      kind: 'agreed',
      on,
      vote: '1',
      members: [0],
      rule: '',
    })
    expect(dissenters(agreed('value'), [value('1'), refusal('1'), value('2')])).toEqual([1, 2])
    expect(dissenters(agreed('refusal'), [value('1'), refusal('1'), refusal('2')])).toEqual([0, 2])
  })

  test('of a history are those that depart from what is agreed, not those that end earlier or go on longer', () => {
    const cases = fc.tuple(
      fc.array(historyReplies, { minLength: 1, maxLength: 5 }),
      fc.array(fc.record({ vote: fc.constantFrom('a', 'b'), moment: fc.constantFrom('0', '1') }), {
        minLength: 1,
      }),
      fc.nat({ max: 2 }),
    )
    fc.assert(
      fc.property(cases, ([others, steps, more]) => {
        const length = Math.min(more + 1, steps.length)
        const heard: (Reply | undefined)[] = [undefined, { kind: 'value', vote: 'agreed', steps }, ...others]
        const verdict: Verdict = {
          kind: 'agreed',
          on: 'history',
          vote: 'agreed',
          length,
          members: [1],
          rule: '',
        }
        const agreed = steps.slice(0, length)
        const departs = (reply: Reply | undefined) => {
          if (reply === undefined || reply.kind === 'fault' || reply.kind === 'abstention') return false
          const own = reply.kind === 'value' ? (reply.steps ?? []).slice(0, length) : undefined
          return own === undefined || JSON.stringify(own) !== JSON.stringify(agreed.slice(0, own.length))
        }
        expect(dissenters(verdict, heard)).toEqual([...heard.keys()].filter((voter) => departs(heard[voter])))
      }),
      { numRuns: 500 },
    )
  })

  test('there are none where nothing is agreed', () => {
    expect(dissentFrom('whole', [value('1'), value('2'), value('3'), value('4')])).toEqual([])
  })
})

const history = (text: string): Reply => ({
  kind: 'value',
  vote: text,
  steps: [...text].map((vote, at) => ({ vote, moment: String(at) })),
})

describe('of an agreed history', () => {
  const heard = ['abc', 'abc', 'ab', 'abcd', 'axc', 'axd', 'a', ''].map(history)
  const verdict: Verdict = { kind: 'agreed', on: 'value', vote: 'abc', members: [0, 1], rule: '' }

  test('an equal history fits it, and so does one that only ends earlier or later, and no other', () => {
    const all = [...heard, refusal('abc'), undefined]
    const same = all.flatMap((_, voter) => (fitsHistory(verdict, all, voter) ? [voter] : []))
    expect(same).toEqual([0, 1, 2, 3, 6, 7])
  })

  test('companions are those that depart from it by the same step, however they go on', () => {
    expect(companions(verdict, heard, 4)).toEqual([4, 5])
    expect(companions(verdict, [...heard, history('ax'), history('ay')], 5)).toEqual([4, 5, 8])
  })
})

test('companions are voters with the same reply; a voter without a reply has none', () => {
  const verdict: Verdict = { kind: 'agreed', on: 'value', vote: '1', members: [0], rule: '' }
  const heard = [value('1'), value('2'), refusal('2'), value('2'), timeout, undefined]
  expect(companions(verdict, heard, 1)).toEqual([1, 3])
  expect(companions(verdict, heard, 2)).toEqual([2])
  expect(companions(verdict, heard, 4)).toEqual([])
  expect(companions({ kind: 'disputed', rule: '' }, heard, 3)).toEqual([1, 3])
})

test('only a history fits: another value, or anything where nothing was agreed, does not', () => {
  const heard = [value('1'), value('2'), undefined]
  const agreed: Verdict = { kind: 'agreed', on: 'value', vote: '1', members: [0], rule: '' }
  const disputed: Verdict = { kind: 'disputed', rule: '' }
  expect(fitsHistory(agreed, heard, 1)).toBe(false)
  expect(fitsHistory(disputed, heard, 1)).toBe(false)
  expect(companions(agreed, heard, 2)).toEqual([])
})

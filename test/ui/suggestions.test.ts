import { describe, expect, test } from 'vitest'
import { isInDoubt, suggestions } from '../../src/ui/suggestions.ts'
import { disagreement } from './samples.ts'

const at = '2026-01-01T12:00:00.000Z'
const now = Date.parse(at)
const entry = { name: 'alice.unverified.cns', user: 'alice::12ab', url: '', description: '' }
const listed = { entries: [entry] }
const offered = [{ name: entry.name, user: entry.user }]

describe('Suggestions of names', () => {
  test('come from the cache elsewhere, and are none while there is doubt', async () => {
    const agreed = async () => listed
    expect(await suggestions('al', { examiner: undefined, agreed, isInDoubt: false })).toEqual(offered)
    expect(await suggestions('al', { examiner: undefined, agreed, isInDoubt: true })).toEqual([])
  })
})

describe('Names are in doubt', () => {
  const contradicted = disagreement({ at, dissent: { 'sv-3': 'pending', 'sv-10': 'pending' } })

  test('for ten minutes after more than f contradicted an agreed answer', () => {
    expect(isInDoubt([contradicted], 1, now)).toBe(true)
    expect(isInDoubt([contradicted], 1, now + 599_999)).toBe(true)
    expect(isInDoubt([contradicted], 1, now + 600_000)).toBe(false)
  })

  test('but not because of f dissenters, nor because nothing was agreed', () => {
    expect(isInDoubt([contradicted], 2, now)).toBe(false)
    expect(isInDoubt([disagreement({ at, outcome: 'disputed', dissent: {} })], 1, now)).toBe(false)
  })
})

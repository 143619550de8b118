import { describe, expect, test } from 'vitest'
import { isInDoubt } from '../../src/server/ui/stories.ts'
import { disagreement } from './samples.ts'

const at = '2026-01-01T12:00:00.000Z'
const now = Date.parse(at)
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

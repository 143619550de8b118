import { expect, test } from 'vitest'
import { provenanceOf, tellAnswer } from '../../src/cli/ask.ts'
import type { AgreedAbsence } from '../../src/client/answered.ts'
import { printed } from './printed.ts'

const { print, err } = printed()
const absence: AgreedAbsence = {
  kind: 'absence',
  value: undefined,
  status: 404,
  error: 'There is none.',
  digest: 'abc',
  agreedAt: new Date(0),
  agreement: { agreed: ['sv-1', 'sv-2'], threshold: 2, asked: 2, voters: 4, complete: true, protected: true },
}
const by = 'agreed by sv-1, sv-2: 2 of 4, 2 are needed'
const asOf = { at: new Date('2026-11-22T12:00:00Z'), claim: 'state', basis: 'stream', generation: 3 } as const

test('an answer of a mirror is printed with the time at which it was true', () => {
  expect(provenanceOf(absence)).toEqual([by])
  expect(provenanceOf({ ...absence, asOf })).toEqual([by, 'as of 2026-11-22T12:00:00Z, from the mirror'])
  const at = new Date('2026-11-22T12:00:00.250Z')
  expect(provenanceOf({ ...absence, asOf: { ...asOf, at } })[1]).toBe(
    'as of 2026-11-22T12:00:00.250Z, from the mirror',
  )
})

test('an absence that a mirror knows is one line', () => {
  tellAnswer({ ...absence, asOf }, { show: () => undefined }, print)
  expect(err).toEqual([`There is none. (${by}; as of 2026-11-22T12:00:00Z, from the mirror)`])
})

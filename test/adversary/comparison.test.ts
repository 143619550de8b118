import fc from 'fast-check'
import { test } from 'vitest'
import { compareAll } from './comparison.ts'
import { runsOf, tapes } from './tape.ts'

test('hostile replies have one vote exactly where a slow and obvious reading says that they mean the same', () => {
  fc.assert(
    fc.property(tapes(256), (choices) => compareAll(choices)),
    runsOf(400, 'ADVERSARY_COMPARISONS'),
  )
})

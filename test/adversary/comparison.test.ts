import fc from 'fast-check'
import { test } from 'vitest'
import { isLong } from '../support/seed.ts'
import { compareAll } from './comparison.ts'
import { runsOf, tapes } from './tape.ts'
import { allTruths } from './world.ts'

test('hostile replies have one vote exactly where a slow and obvious reading says that they mean the same', async () => {
  const truths = await allTruths()
  fc.assert(
    fc.property(tapes(400), (choices) => compareAll(truths, choices)),
    runsOf(isLong ? 8_400 : 400, 'ADVERSARY_COMPARISONS'),
  )
})

import fc from 'fast-check'
import { beforeAll, test } from 'vitest'
import { compareAll } from './comparison.ts'
import { runsOf, tapes } from './tape.ts'
import { allTruths, type Truth } from './world.ts'

let truths: readonly Truth[]
beforeAll(async () => {
  truths = await allTruths()
})

test('hostile replies have one vote exactly where a slow and obvious reading says that they mean the same', () => {
  fc.assert(
    fc.property(tapes(400), (choices) => compareAll(truths, choices)),
    runsOf(400, 'ADVERSARY_COMPARISONS'),
  )
})

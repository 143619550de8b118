import fc from 'fast-check'
import { test } from 'vitest'
import { compareAll, pairs } from './comparison.ts'
import { runsOf, tapes } from './tape.ts'
import { allTruths } from './world.ts'

test('millions of pairs of hostile replies have one vote exactly where they mean the same', async ({
  annotate,
}) => {
  const truths = await allTruths()
  const runs = runsOf(8_400, 'ADVERSARY_COMPARISONS')
  const started = performance.now()
  fc.assert(
    fc.property(tapes(400), (choices) => compareAll(truths, choices)),
    runs,
  )
  const seconds = Math.round((performance.now() - started) / 1000)
  await annotate(`${runs.numRuns * pairs} pairs in ${seconds} s, seed ${runs.seed}`)
}, 7_200_000)

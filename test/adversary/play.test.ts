import fc from 'fast-check'
import { beforeAll, test } from 'vitest'
import { play } from './play.ts'
import { runsOf, tapes } from './tape.ts'
import { allTruths, type Truth } from './world.ts'

let truths: readonly Truth[]
beforeAll(async () => {
  truths = await allTruths()
})

test('every read on which the honest agree is answered with the truth, whatever a third of the super validators says', async () => {
  await fc.assert(
    fc.asyncProperty(tapes(600), async (choices) => {
      await play(truths, choices)
    }),
    runsOf(200, 'ADVERSARY_PLAYS'),
  )
})

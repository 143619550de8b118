import fc from 'fast-check'
import { test } from 'vitest'
import { play } from './play.ts'
import { runsOf, tapes } from './tape.ts'
import { allTruths } from './world.ts'

test('many thousands of reads on which the honest agree are answered with the truth', async ({
  annotate,
}) => {
  const truths = await allTruths()
  const runs = runsOf(10_000, 'ADVERSARY_PLAYS')
  const total = { replies: 0, lies: 0, asks: 0 }
  await fc.assert(
    fc.asyncProperty(tapes(600), async (choices) => {
      const { replies, lies, asks } = await play(truths, choices)
      total.replies += replies
      total.lies += lies
      total.asks += asks
    }),
    runs,
  )
  await annotate(
    `${runs.numRuns} reads, ${total.replies} replies, ${total.lies} of liars, ${(total.asks / runs.numRuns).toFixed(1)} asks a read, seed ${runs.seed}`,
  )
}, 7_200_000)

import fc from 'fast-check'
import { test } from 'vitest'
import { campaign } from './campaign.ts'
import { ScansThread } from './scans-thread.ts'
import { runsOf, tapes } from './tape.ts'
import { allTruths } from './world.ts'

const orders = fc.record({
  scene: tapes(400),
  reads: fc.array(tapes(330), { minLength: 100, maxLength: 200, size: 'max' }),
})

test('over real sockets no lie of a third of the super validators is ever answered, and no truth withheld', async ({
  annotate,
}) => {
  const truths = await allTruths()
  const runs = runsOf(100, 'ADVERSARY_CAMPAIGNS')
  const total = { reads: 0, replies: 0, lies: 0, blockedMs: 0 }
  const started = performance.now()
  await using scans = await ScansThread.start(13)
  await fc.assert(
    fc.asyncProperty(orders, async (given) => {
      const figures = await campaign(scans, truths, given)
      total.reads += figures.reads
      total.replies += figures.replies
      total.lies += figures.lies
      total.blockedMs = Math.max(total.blockedMs, figures.blockedMs)
    }),
    { ...runs, endOnFailure: true },
  )
  const seconds = Math.round((performance.now() - started) / 1000)
  await annotate(
    `${total.reads} reads, ${total.replies} replies, ${total.lies} of liars, blocked for ${Math.round(total.blockedMs)} ms at most, ${seconds} s, seed ${runs.seed}`,
  )
}, 7_200_000)

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLong } from '../support/seed.ts'
import { campaign } from './campaign.ts'
import { ScansThread } from './scans-thread.ts'
import { runsOf, tapes } from './tape.ts'
import { allTruths } from './world.ts'

/** On a slow machine, the short form stops after 12 seconds. The test then passes if no case has failed. */
const bounded = isLong ? {} : { interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false }

const [minLength, maxLength] = isLong ? [100, 200] : [15, 30]
const orders = fc.record({
  scene: tapes(400),
  reads: fc.array(tapes(330), { minLength, maxLength, size: 'max' }),
})

test('over real sockets, callers get the truth although a third of the super validators misuse their connections', async ({
  annotate,
}) => {
  const truths = await allTruths()
  const runs = runsOf(isLong ? 100 : 10, 'ADVERSARY_CAMPAIGNS')
  const total = { reads: 0, replies: 0, lies: 0, blockedMs: 0 }
  await using scans = await ScansThread.start(13)
  await fc.assert(
    fc.asyncProperty(orders, async (given) => {
      const figures = await campaign(scans, truths, given)
      total.reads += figures.reads
      total.replies += figures.replies
      total.lies += figures.lies
      total.blockedMs = Math.max(total.blockedMs, figures.blockedMs)
    }),
    { ...runs, ...bounded },
  )
  await annotate(JSON.stringify({ ...total, seed: runs.seed }))
  expect(total.lies).toBeGreaterThan(0)
})

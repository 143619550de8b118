import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { campaign } from './campaign.ts'
import { ScansThread } from './scans-thread.ts'
import { runsOf, tapes } from './tape.ts'
import { allTruths, type Truth } from './world.ts'

let truths: readonly Truth[]
beforeAll(async () => {
  truths = await allTruths()
})

/** On a slow machine, stops after 12 seconds. The test then passes if no case has failed. */
const bounded = { interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false }

const orders = fc.record({
  scene: tapes(400),
  reads: fc.array(tapes(330), { minLength: 15, maxLength: 30, size: 'max' }),
})

test('over real sockets, callers get the truth although a third of the super validators misuse their connections', async () => {
  await using scans = await ScansThread.start(13)
  let lies = 0
  await fc.assert(
    fc.asyncProperty(orders, async (given) => {
      lies += (await campaign(scans, truths, given)).lies
    }),
    { ...runsOf(10, 'ADVERSARY_CAMPAIGNS'), ...bounded },
  )
  expect(lies).toBeGreaterThan(0)
})

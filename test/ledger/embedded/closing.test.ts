import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openEmbeddedLedger } from '../../../src/ledger/embedded/embedded-ledger.ts'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import type { WritingProtocol } from './writing-thread.ts'

const threadModule = new URL('./writing-thread.ts', import.meta.url)
const closed = new LedgerUnavailable('The ledger is closed.')

test('every caller of a ledger that is closed gets its answer, or an error that says that the ledger is closed', async () => {
  const request = fc.record({
    writes: fc.nat({ max: 6 }),
    turns: fc.constantFrom(0, 0, 0, 1),
    forever: fc.constantFrom(false, false, false, true),
  })
  const turns = fc.nat({ max: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), turns, async (requests, before) => {
      const ledger = await openEmbeddedLedger<WritingProtocol>({}, { clock: new ManualClock(), threadModule })
      const asked = requests.map((each, index) => ledger.askService({ ...each, key: String(index) }))
      const written = ledger.setSetting('party', 'outside', 'set')
      const read = ledger.setting('party', 'outside')
      const settled = Promise.allSettled(asked)
      for (let turn = 0; turn < before; turn++) await setImmediate()
      await ledger[Symbol.asyncDispose]()
      await Promise.all([written, read])
      for (const [index, outcome] of (await settled).entries()) {
        const { writes, turns, forever } = requests[index] as (typeof requests)[number]
        if (outcome.status === 'rejected') expect(outcome.reason).toEqual(closed)
        else expect(outcome.value).toBe(writes === 0 ? undefined : String(writes))
        if (turns === 0 || writes === 0) expect(outcome.status).toBe(forever ? 'rejected' : 'fulfilled')
      }
      await expect(ledger.askService({ key: '', writes: 0, turns: 0, forever: false })).rejects.toEqual(
        closed,
      )
    }),
    { numRuns: 20 },
  )
})

test('a ledger whose thread never answers again is closed after 15 seconds', async () => {
  const clock = new ManualClock()
  const endless = new URL('./endless-thread.ts', import.meta.url)
  const ledger = await openEmbeddedLedger<WritingProtocol>({}, { clock, threadModule: endless })
  const asked = ledger.askService({ key: '', writes: 0, turns: 0, forever: true })
  const closing = ledger[Symbol.asyncDispose]()
  clock.advance(15_000)
  await closing
  await expect(asked).rejects.toEqual(closed)
  expect(clock.waiting).toBe(0)
})

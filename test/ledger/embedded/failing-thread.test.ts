import { describe, expect, test } from 'vitest'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'
import { openLedger } from './open.ts'

const failing = new URL('./failing-thread.ts', import.meta.url)
const anything = undefined as never
const why = "The ledger's thread failed: nobody caught this"

describe("a mistake that ends the ledger's thread", () => {
  test('reaches all waiting and all later callers, and ends nothing else', async () => {
    await using opened = await openLedger({}, { threadModule: failing })
    const { ledger } = opened
    const asked = await Promise.allSettled([ledger.askService(anything), ledger.askService(anything)])
    expect(asked).toEqual(Array(2).fill({ status: 'rejected', reason: new LedgerUnavailable(why) }))
    await expect(ledger.end()).rejects.toEqual(new LedgerUnavailable(why))
    await ledger[Symbol.asyncDispose]()
  })

  test('is reported to the operator', async () => {
    await using opened = await openLedger({}, { threadModule: failing })
    await expect(opened.ledger.askService(anything)).rejects.toThrow(LedgerUnavailable)
    expect(opened.told).toEqual([{ kind: 'writes-stopped', reason: why }])
    expect(opened.ledger.writesStopped).toBe(why)
  })

  test('is why a ledger does not open', async () => {
    const opening = openLedger({}, { threadModule: new URL('./there-is-none.ts', import.meta.url) })
    await expect(opening).rejects.toThrow("The ledger's thread failed: Cannot find module")
    await expect(opening).rejects.toBeInstanceOf(LedgerUnavailable)
  })
})

test('a ledger that is closed stops nothing that an operator should know of', async () => {
  const { ledger, told } = await openLedger()
  await ledger[Symbol.asyncDispose]()
  expect(told).toEqual([])
})

import { expect, test } from 'vitest'
import { packThrown, unpackThrown } from '../../../src/ledger/embedded/protocol.ts'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'

const crossed = (error: unknown) => unpackThrown(structuredClone(packThrown(error)))

test('a ledger that cannot do it now says so on the other side', () => {
  expect(crossed(new LedgerUnavailable('The disk is full.'))).toEqual(
    new LedgerUnavailable('The disk is full.'),
  )
  expect(crossed(new LedgerUnavailable('The disk is full.'))).toBeInstanceOf(LedgerUnavailable)
})

test('an error of the program still has the stack of its origin', () => {
  const mistake = new TypeError('no such thing')
  expect(crossed(mistake).message).toBe('no such thing')
  expect(crossed(mistake).stack).toBe(mistake.stack)
  expect(crossed('a text').message).toBe('a text')
})

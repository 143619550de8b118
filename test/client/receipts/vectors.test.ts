import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { verifyByNoble } from '../../../src/client/receipts/ed25519.noble.ts'
import { verifyByWebCrypto } from '../../../src/client/receipts/ed25519.ts'
import type { Ed25519Engine } from '../../../src/client/receipts/ed25519-engine.ts'
import { ReceiptMemory, verifyReceipt } from '../../../src/client/receipts/receipts.ts'
import { refusalReasons } from '../../../src/client/receipts/refusals.ts'
import { receiptVectors } from '../../support/receipt-vectors.ts'

const verifyByNode: Ed25519Engine = async (key, signature, message) => {
  const x = Buffer.from(key).toString('base64url')
  return verify(
    null,
    message,
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    signature,
  )
}

const engines = {
  WebCrypto: verifyByWebCrypto,
  '@noble/ed25519': verifyByNoble,
  'node:crypto': verifyByNode,
}

describe.each(Object.entries(engines))('with %s', (_, engine) => {
  test.each(receiptVectors)('%s', async (_, { receipts, seen = [], now, expect: outcome, ...wanted }) => {
    const memory = new ReceiptMemory()
    const options = { ...wanted, memory, engine, now: new Date(now * 1000) }
    for (const earlier of seen) {
      const { kind } = await verifyReceipt(earlier, { ...options, question: earlier.request })
      expect(kind).not.toBe('refused')
    }
    const verdict = await verifyReceipt(receipts, options)
    expect(verdict.kind === 'refused' ? verdict.reason : verdict.kind).toBe(outcome)
    expect(verdict.says).toMatch(/^[\w"].*\.$/)
    expect(verdict.says).not.toMatch(/[{}]|undefined/)
  })
})

test('a vector reaches every reason for which a receipt is refused, but those that are not about one receipt', () => {
  const reached = new Set(receiptVectors.map(([, vector]) => vector.expect))
  expect(refusalReasons.filter((reason) => !reached.has(reason))).toEqual([
    'noWebCrypto',
    'tooManyReceipts',
    'nobodyAnswers',
  ])
})

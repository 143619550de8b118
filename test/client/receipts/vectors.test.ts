import { createPublicKey, verify } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyByNoble } from '../../../src/client/receipts/ed25519.noble.ts'
import { verifyByWebCrypto } from '../../../src/client/receipts/ed25519.ts'
import type { Ed25519Engine } from '../../../src/client/receipts/ed25519-engine.ts'
import { ReceiptMemory, type SavedReceipt, verifyReceipt } from '../../../src/client/receipts/receipts.ts'
import { refusalReasons } from '../../../src/client/receipts/refusals.ts'
import {
  printVector,
  type ReceiptVector,
  receiptVectors,
  vectorFolder,
} from '../../support/receipt-vectors.ts'

const verifyByNode: Ed25519Engine = async (key, signature, message) => {
  const x = Buffer.from(key).toString('base64url')
  return verify(
    null,
    message,
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    signature,
  )
}

const engines = { WebCrypto: verifyByWebCrypto, '@noble/ed25519': verifyByNoble, 'node:crypto': verifyByNode }

const files = readdirSync(vectorFolder).filter((file) => file.endsWith('.json'))

test('the files of the vectors are equal to those that the signer makes', () => {
  expect(files.toSorted()).toEqual(
    Object.keys(receiptVectors)
      .map((name) => `${name}.json`)
      .toSorted(),
  )
  for (const [name, vector] of Object.entries(receiptVectors))
    expect(readFileSync(join(vectorFolder, `${name}.json`), 'utf8')).toBe(printVector(vector))
})

describe.each(Object.entries(engines))('with %s', (_, engine) => {
  test.each(files)('%s', async (file) => {
    const vector = JSON.parse(readFileSync(join(vectorFolder, file), 'utf8')) as ReceiptVector
    const verdict = await outcomeOf(vector, engine)
    expect(verdict.kind === 'refused' ? verdict.reason : verdict.kind).toBe(vector.expect)
    expect(verdict.says).toMatch(/^[\w"].*\.$/)
    expect(verdict.says).not.toMatch(/[{}]|undefined/)
  })
})

test('a vector reaches every reason for which a receipt is refused, but those that are not about one receipt', () => {
  const reached = new Set(Object.values(receiptVectors).map((vector) => vector.expect))
  expect(refusalReasons.filter((reason) => !reached.has(reason))).toEqual([
    'noWebCrypto',
    'tooManyReceipts',
    'nobodyAnswers',
  ])
})

async function outcomeOf(vector: ReceiptVector, engine: Ed25519Engine) {
  const { receipts, seen = [], now, expect: _, ...wanted } = vector
  const memory = new ReceiptMemory()
  const options = { ...wanted, memory, engine, now: new Date(now * 1000) }
  for (const earlier of seen) {
    const { kind } = await verifyReceipt(earlier, { ...options, question: earlier.request })
    expect(kind).not.toBe('refused')
  }
  return verifyReceipt(receipts as readonly SavedReceipt[], options)
}

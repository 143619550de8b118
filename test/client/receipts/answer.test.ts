import { describe, expect, expectTypeOf, test } from 'vitest'
import { receiptAnswer } from '../../../src/client/client.ts'
import { type ReceiptQuestion, verifyReceipt } from '../../../src/client/receipts/receipts.ts'
import { pathOf } from '../../../src/core/reads/endpoint.ts'
import { endpoints, readIds } from '../../../src/core/reads/endpoints.ts'
import { agreedAt, madeReceipt, nameBody, testKey } from '../../support/receipt-signer.ts'

const key = testKey('one')
type Given = Parameters<typeof madeReceipt>[1]

async function answerOf(given: Given) {
  const receipt = madeReceipt(key, given)
  const options = { pins: [{ name: 'one', key: key.jwk }], now: new Date(agreedAt * 1000) }
  const verdict = await verifyReceipt(receipt, { ...options, question: receipt.request })
  if (verdict.kind === 'refused') throw new Error(verdict.says)
  return receiptAnswer(verdict)
}

const byName = '/ans-entries/by-name/alice.unverified.cns'

describe('the answer of a verified receipt', () => {
  test.each(['/api/scan/v0', '/v0/scan-proxy', '/api/validator/v0/scan-proxy', '/v0'])(
    'is a value with the type of its read, on the path %s',
    async (base) => {
      const answer = await answerOf({ path: `${base}${byName}` })
      expect(answer).toEqual({ read: 'lookupAnsEntryByName', kind: 'value', value: JSON.parse(nameBody) })
      if (answer?.read !== 'lookupAnsEntryByName' || answer.kind !== 'value') throw new Error('another read')
      expectTypeOf(answer.value.entry.name).toBeString()
      expect(answer.value.entry.name).toBe('alice.unverified.cns')
    },
  )

  test('is an absence, as a method of the client returns it', async () => {
    const error = 'No ans entry found for name: alice.unverified.cns'
    expect(await answerOf({ status: 404, body: JSON.stringify({ error }) })).toEqual({
      read: 'lookupAnsEntryByName',
      kind: 'absence',
      value: undefined,
      status: 404,
      error,
    })
  })

  test('is known of reads by POST and of paths with a query', async () => {
    const list = { path: '/api/scan/v0/ans-entries?page_size=10', body: '{"entries":[]}' }
    expect(await answerOf(list)).toMatchObject({ read: 'listAnsEntries', value: { entries: [] } })
    const updates = { path: '/api/scan/v2/updates', sent: '{}', body: '{"transactions":[]}' }
    expect(await answerOf({ method: 'POST', ...updates })).toMatchObject({ read: 'getUpdateHistoryV2' })
  })

  test.each<[string, Given]>([
    ['a path that no read has', { path: '/api/scan/v0/unknown' }],
    ['a method that the read does not have', { method: 'POST', sent: '{}' }],
    ['a path whose parameter is empty', { path: '/api/scan/v0/ans-entries/by-name/' }],
    ['a body of another form', { body: '{"entry":{"name":1}}' }],
    ['a refusal without a text', { status: 404, body: '{}' }],
  ])('is unknown for %s', async (_, given) => {
    expect(await answerOf(given)).toBeUndefined()
  })

  test('is of the read whose path it is, for every read of the client', () => {
    for (const read of readIds) {
      const { method } = endpoints[read]
      const path = pathOf(endpoints[read])
      const question: ReceiptQuestion = { method, path: path.replace(/\{\w+\}/g, 'any') }
      const statement = { status: 404, body: { error: 'none' } }
      const statements = [statement] as unknown as Parameters<typeof receiptAnswer>[0]['statements']
      expect(receiptAnswer({ question, statements })?.read).toBe(read)
    }
  })
})

test.each([undefined, { kind: 'refused' }])('receiptAnswer of %j says what it takes', (given) => {
  expect(() => receiptAnswer(given as never)).toThrow(
    expect.objectContaining({
      code: 'badOption',
      message: expect.stringContaining('takes a verdict of the kind current or provedThen'),
    }),
  )
})

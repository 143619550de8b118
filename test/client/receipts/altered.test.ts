import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { checkSignature } from '../../../src/client/receipts/ed25519.ts'
import { type SavedReceipt, verifyReceipt } from '../../../src/client/receipts/receipts.ts'
import { agreedAt, type MadeReceipt, madeReceipt, testKey } from '../../support/receipt-signer.ts'

const key = testKey('one')
const now = new Date((agreedAt + 60) * 1000)
const post = madeReceipt(key, { method: 'POST', path: '/api/scan/v2/updates?a=b', sent: '{"page_size":10}' })
const receipts = [madeReceipt(key), post]

/** Everything that a receipt's signature covers, and the two headers of the signature. */
const parts = [
  'body',
  'path',
  'sent',
  'content-type',
  'content-digest',
  'x-bft-receipt',
  'x-bft-quorum',
  'x-bft-agreed',
  'signature-input',
  'signature',
] as const

function textOf({ request, response }: MadeReceipt, part: (typeof parts)[number]): string {
  if (part === 'body') return response.body
  if (part === 'path') return request.path
  return (part === 'sent' ? request.body : response.headers[part]) ?? ''
}

function withText(receipt: MadeReceipt, part: (typeof parts)[number], text: string): MadeReceipt {
  const { request, response } = receipt
  if (part === 'path') return { ...receipt, request: { ...request, path: text } }
  if (part === 'sent') return { ...receipt, request: { ...request, body: text } }
  if (part === 'body') return { ...receipt, response: { ...response, body: text } }
  return { ...receipt, response: { ...response, headers: { ...response.headers, [part]: text } } }
}

async function verdictOn(receipt: MadeReceipt) {
  const pins = [{ name: 'one', key: key.jwk }]
  // The verifier is asked the altered question, so that only the signature can show the change.
  const question = /^\/[!$-~]*$/.test(receipt.request.path) ? receipt.request : post.request
  return verifyReceipt(receipt as SavedReceipt, { pins, question, now })
}

test('a receipt in which any single byte of a signed part is another one is refused', async () => {
  const changes = fc.tuple(
    fc.constantFrom(...receipts),
    fc.constantFrom(...parts),
    fc.nat(),
    fc.integer({ min: 0x20, max: 0x7e }),
  )
  await fc.assert(
    fc.asyncProperty(changes, async ([receipt, part, place, code]) => {
      const text = textOf(receipt, part)
      const at = place % Math.max(1, text.length)
      fc.pre(text !== '' && text.charCodeAt(at) !== code)
      const changed = `${text.slice(0, at)}${String.fromCharCode(code)}${text.slice(at + 1)}`
      fc.pre(!saysTheSame(part, text, changed))
      const { kind } = await verdictOn(withText(receipt, part, changed))
      expect(kind).toBe('refused')
    }),
    { numRuns: 800 },
  )
})

/** Whether a change only adds or removes blanks around a header. The signature does not cover these blanks. */
function saysTheSame(part: string, text: string, changed: string): boolean {
  return part !== 'body' && part !== 'sent' && part !== 'path' && text.trim() === changed.trim()
}

test('any JSON whatsoever is refused, and never throws', async () => {
  const pins = [{ name: 'one', key: key.jwk }]
  const { request: question } = post
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const given = { ...post, response: value } as unknown as SavedReceipt
      for (const receipt of [given, value as unknown as SavedReceipt])
        expect((await verifyReceipt(receipt, { pins, question, now })).kind).toBe('refused')
    }),
  )
})

test('a key in a second encoding is refused', async () => {
  const second = Uint8Array.from(Buffer.from(`${'f0'}${'ff'.repeat(30)}7f`, 'hex'))
  expect(await checkSignature(second, new Uint8Array(64), new Uint8Array(), async () => true)).toBe('weakKey')
})

test('a runtime whose WebCrypto has no ed25519 verifies by @noble/ed25519', async () => {
  const [receipt] = receipts as [MadeReceipt]
  const { subtle } = crypto
  const missing = vi
    .spyOn(subtle, 'importKey')
    .mockRejectedValue(new DOMException('Unrecognized name.', 'NotSupportedError'))
  try {
    expect((await verdictOn(receipt)).kind).toBe('current')
    expect((await verdictOn(withText(receipt, 'x-bft-agreed', '"sv-z"'))).kind).toBe('refused')
    expect(missing).toHaveBeenCalled()
  } finally {
    missing.mockRestore()
  }
})

test('a runtime without WebCrypto gets an error that says so', async () => {
  vi.stubGlobal('crypto', {})
  try {
    const receipt = { ...receipts[0] } as SavedReceipt
    const pins = [{ name: 'one', key: key.jwk }]
    const verdict = await verifyReceipt(receipt, { pins, question: receipt.request, now })
    expect(verdict).toMatchObject({ kind: 'refused', reason: 'noWebCrypto' })
  } finally {
    vi.unstubAllGlobals()
  }
})

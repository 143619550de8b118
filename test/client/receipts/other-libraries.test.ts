import { sign } from 'node:crypto'
import { component, createSignature } from 'http-message-sig'
import { httpbis } from 'http-message-signatures'
import { describe, expect, test } from 'vitest'
import { type SavedReceipt, verifyReceipt } from '../../../src/client/receipts/receipts.ts'
import {
  agreedAt,
  digestField,
  type MadeReceipt,
  madeReceipt,
  testKey,
} from '../../support/receipt-signer.ts'

const key = testKey('one')
const pins = [{ name: 'one', key: key.jwk }]
const now = new Date((agreedAt + 60) * 1000)

const receipts = {
  'a read by GET': madeReceipt(key),
  'a read by GET with a query': madeReceipt(key, {
    path: '/v0/scan-proxy/ans-entries?page_size=10&name_prefix=al',
    body: '{"entries":[]}',
  }),
  'a read by POST': madeReceipt(key, {
    method: 'POST',
    path: '/api/scan/v2/updates',
    sent: '{"page_size":10}',
  }),
}

function coveredBy({ request }: MadeReceipt) {
  return [
    '@status',
    'content-digest',
    'content-type',
    '@method;req',
    '@path;req',
    '@query;req',
    ...(request.body === undefined ? [] : ['content-digest;req']),
    'x-bft-receipt',
    'x-bft-quorum',
    'x-bft-agreed',
  ]
}

const tag = 'bft-scan-receipt'

function requestOf({ request: { method, path, body } }: MadeReceipt) {
  const headers: Record<string, string> = body === undefined ? {} : { 'content-digest': digestField(body) }
  return { method, url: `https://scan-proxy.example.org${path}`, headers }
}

function unsigned({ response }: MadeReceipt) {
  const { signature: _, 'signature-input': __, ...headers } = response.headers
  return { status: response.status, headers }
}

function withHeaders(receipt: MadeReceipt, headers: Record<string, string>): SavedReceipt {
  return { ...receipt, response: { ...receipt.response, headers } }
}

describe.each(Object.entries(receipts))('%s', (_, receipt) => {
  test('we verify a receipt that http-message-signatures signed', async () => {
    const { headers } = await httpbis.signMessage(
      {
        key: {
          id: key.keyid,
          alg: 'ed25519',
          sign: async (data: Buffer) => sign(null, data, key.privateKey),
        },
        name: 'receipt',
        fields: coveredBy(receipt),
        params: ['created', 'expires', 'keyid', 'alg', 'tag'],
        paramValues: {
          created: new Date(agreedAt * 1000),
          expires: new Date((agreedAt + 3_600) * 1000),
          tag,
        },
      },
      unsigned(receipt),
      requestOf(receipt),
    )
    const lowered = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    )
    expect(await verdictOn(withHeaders(receipt, lowered))).toMatchObject({ kind: 'verified' })
  })

  test('we verify a receipt that http-message-sig signed', async () => {
    const { headers } = unsigned(receipt)
    const { signature, signatureInput } = await createSignature(descriptorOf(receipt, headers), {
      label: 'theirs',
      components: coveredBy(receipt).map(componentOf),
      parameters: {
        created: agreedAt,
        expires: agreedAt + 3_600,
        keyid: key.keyid,
        alg: 'ed25519',
        tag,
      },
      signer: { algorithm: 'ed25519', sign: (data) => sign(null, data, key.privateKey) },
    })
    const signed = withHeaders(receipt, { ...headers, signature, 'signature-input': signatureInput })
    expect(await verdictOn(signed)).toMatchObject({ kind: 'verified' })
  })
})

function verdictOn(receipt: SavedReceipt) {
  return verifyReceipt(receipt, { pins, question: receipt.request, now })
}

function componentOf(text: string) {
  const [name = '', flag] = text.split(';')
  return component(name, flag === undefined ? {} : { req: true })
}

function descriptorOf(receipt: MadeReceipt, headers: Readonly<Record<string, string>>) {
  const { method, url, headers: sent } = requestOf(receipt)
  return {
    kind: 'response',
    status: receipt.response.status,
    fields: fieldsOf(headers),
    request: { kind: 'request', method, targetUri: url, fields: fieldsOf(sent) },
  } as const
}

function fieldsOf(headers: Readonly<Record<string, string>>) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}

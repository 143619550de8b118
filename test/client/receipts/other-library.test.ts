import { sign } from 'node:crypto'
import fc from 'fast-check'
import { component, createSignature, verifySignature, webcrypto } from 'http-message-sig'
import { expect, test } from 'vitest'
import { type SavedReceipt, verifyReceipt } from '../../../src/client/receipts/receipts.ts'
import {
  agreedAt,
  digestField,
  type MadeReceipt,
  madeReceipt,
  namePath,
  testKey,
} from '../../support/receipt-signer.ts'

const key = testKey('one')
const now = new Date((agreedAt + 60) * 1000)
const imported = crypto.subtle.importKey('jwk', key.jwk, 'Ed25519', false, ['verify'])

async function oursAccepts(receipt: MadeReceipt): Promise<boolean> {
  const pins = [{ name: 'one', key: key.jwk }]
  const verdict = await verifyReceipt(receipt as SavedReceipt, { pins, question: receipt.request, now })
  return verdict.kind !== 'refused'
}

function requestOf({ request: { method, path, body } }: MadeReceipt) {
  const headers: Record<string, string> = body === undefined ? {} : { 'content-digest': digestField(body) }
  return { method, url: `https://scan-proxy.example.org${path}`, headers }
}

async function theyAccept(receipt: MadeReceipt): Promise<boolean> {
  const verifier = webcrypto.verifier(await imported)
  try {
    await verifySignature(descriptorOf(receipt, receipt.response.headers), {
      resolveVerifier: () => verifier,
      policy: {
        algorithms: ['ed25519'],
        requiredComponents: [component('@path', { req: true })],
        requiredParameters: ['created', 'expires', 'keyid', 'alg', 'tag'],
        now: now.getTime() / 1000,
      },
    })
    return true
  } catch {
    return false
  }
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

const good = madeReceipt(key, { path: `${namePath}?a=b` })
const parameters = /;created=.*$/

const oddTexts = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\t',
    '  ,',
    ',',
    '\r\n',
    '\r\n ',
    '\n',
    '\0',
    '"',
    '\\',
    ';',
    '()',
    ':AAAA:',
    '?',
    '%',
    'é',
  ),
  fc.constantFrom(
    ...';alg="ed25519" ;tag="bft-scan-receipt" ;created=1 ;keyid=x ;nonce="a" ;bs ;sf'.split(' '),
  ),
  fc.constantFrom(
    'receipt=()',
    'other=()',
    'receipt=:AAAA:',
    ', receipt=?1',
    '"@path";req',
    '"@query-param";req',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: 'binary-ascii', maxLength: 8 }),
)

const headerNames = fc.constantFrom(...Object.keys(good.response.headers))

type Change = (text: string) => string

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(), oddTexts).map(
    ([at, odd]): Change =>
      (text) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + odd + text.slice(place)
      },
  ),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6 })).map(
    ([at, length]): Change =>
      (text) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + text.slice(place + length)
      },
  ),
  fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 3 }).map(
    (order): Change =>
      (text) =>
        text.replace(parameters, (all) => {
          const each = all.slice(1).split(';')
          return order.map((index) => `;${each[index] ?? ''}`).join('')
        }),
  ),
  fc.nat(4).map(
    (which): Change =>
      (text) =>
        text.replace(parameters, (all) => `${all};${all.slice(1).split(';')[which] ?? ''}`),
  ),
  oddTexts.map(
    (odd): Change =>
      (text) =>
        `${text}, ${odd}${text}`,
  ),
  fc.constantFrom<Change>(
    (text) => text.toUpperCase(),
    (text) => ` ${text} `,
    (text) => text.replaceAll(' ', '  '),
    (text) => text.replaceAll(' ', '\t'),
    (text) => text.replaceAll(', ', ','),
    (text) => text.replaceAll(';', '; '),
    (text) => text.replaceAll('=:', '=::'),
    (text) => text.replaceAll('"', ''),
    (text) => `${text};x`,
    (text) => `${text}, x=${'y'.repeat(70_000)}`,
  ),
)

test('where the headers of a receipt were changed and we accept it, http-message-sig accepts it too', async () => {
  const edits = fc.array(fc.tuple(headerNames, changes), { minLength: 1, maxLength: 2 })
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(edits, async (each) => {
      const headers: Record<string, string> = { ...good.response.headers }
      for (const [name, change] of each) headers[name] = change(headers[name] ?? '')
      const receipt = { ...good, response: { ...good.response, headers } }
      if (!(await oursAccepts(receipt))) return
      accepted++
      expect(await theyAccept(receipt)).toBe(true)
    }),
    { numRuns: 1_000 },
  )
  expect(accepted).toBeGreaterThan(0)
})

const segments = fc.oneof(
  fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .filter((text) => text.isWellFormed())
    .map(encodeURIComponent),
  fc.constantFrom(
    ...String.raw`%41 %2F %2f %25 %252F %00 %0D%0A %E0%A4%A % a;b a=b ..a ~ ' * @ : // %2e%2e .. . \\ | ^ {} <>`.split(
      ' ',
    ),
    '`',
    'x'.repeat(9_000),
  ),
)
const queries = fc.oneof(
  fc.constantFrom('', '?', '??', '?a?b', '?a=b&a=b', '?+', '?%20', '?"', '?#', "?'", '?é'),
  segments.map((text) => `?${text}`),
)

const paths = fc
  .tuple(fc.array(segments, { maxLength: 3 }), queries)
  .map(([each, query]) => `/${each.join('/')}${query}`)

test('where we accept a receipt for a path, http-message-sig accepts it too', async () => {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(paths, async (path) => {
      fc.pre(isPath(path))
      const receipt = madeReceipt(key, { path })
      if (!(await oursAccepts(receipt))) return
      accepted++
      expect(await theyAccept(receipt)).toBe(true)
    }),
    { numRuns: 500 },
  )
  expect(accepted).toBeGreaterThan(0)
})

/** Whether a question may have this path: it has no character that must be percent-encoded, and no fragment. */
function isPath(path: string): boolean {
  return /^\/[!$-~]*$/.test(path)
}

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

function unsigned({ response }: MadeReceipt) {
  const { signature: _, 'signature-input': __, ...headers } = response.headers
  return { status: response.status, headers }
}

function withHeaders(receipt: MadeReceipt, headers: Record<string, string>): MadeReceipt {
  return { ...receipt, response: { ...receipt.response, headers } }
}

test.each(Object.entries(receipts))(
  'we verify a receipt that http-message-sig signed: %s',
  async (_, receipt) => {
    const { headers } = unsigned(receipt)
    const { signature, signatureInput } = await createSignature(descriptorOf(receipt, headers), {
      label: 'theirs',
      components: coveredBy(receipt).map(componentOf),
      parameters: {
        created: agreedAt,
        expires: agreedAt + 3_600,
        keyid: key.keyid,
        alg: 'ed25519',
        tag: 'bft-scan-receipt',
      },
      signer: { algorithm: 'ed25519', sign: (data) => sign(null, data, key.privateKey) },
    })
    const signed = withHeaders(receipt, { ...headers, signature, 'signature-input': signatureInput })
    expect(await oursAccepts(signed)).toBe(true)
  },
)

function componentOf(text: string) {
  const [name = '', flag] = text.split(';')
  return component(name, flag === undefined ? {} : { req: true })
}

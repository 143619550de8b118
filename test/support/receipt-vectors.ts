import { Buffer } from 'node:buffer'
import { sign } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReceiptRefusalReason } from '../../src/client/receipts/refusals.ts'
import { malleated, signatureOfMixedOrder, signatureOfWeakKey, weakKey } from './ed25519-forgeries.ts'
import {
  agreedAt,
  digestField,
  type MadeReceipt,
  madeReceipt,
  nameBody,
  namePath,
  receiptField,
  sha256,
  type TestKey,
  testKey,
} from './receipt-signer.ts'

/** Receipts, the arguments of their verification, and the expected outcome. Times are seconds since 1970. */
export interface ReceiptVector {
  readonly pins: readonly {
    readonly name: string
    readonly owner?: string
    readonly key: TestKey['jwk'] | string
  }[]
  readonly question: MadeReceipt['request']
  readonly now: number
  readonly maxAgeSeconds?: number
  readonly current?: boolean
  readonly k?: number
  readonly threshold?: number
  readonly operators?: number
  readonly rosters?: readonly string[]
  readonly seen?: readonly MadeReceipt[]
  readonly receipts: readonly unknown[]
  readonly expect: 'current' | 'provedThen' | ReceiptRefusalReason
}

const one = testKey('one')
const two = testKey('two')
const three = testKey('three')
const pins = [
  { name: 'one', owner: 'Firm A', key: one.jwk },
  { name: 'two', owner: 'Firm B', key: two.jwk },
]
const question = { method: 'GET', path: namePath } as const
const now = agreedAt + 60
const good = madeReceipt(one)

type Response = MadeReceipt['response']

function verified(receipt: MadeReceipt, given: Partial<ReceiptVector> = {}): ReceiptVector {
  return { pins, question: receipt.request, now, receipts: [receipt], expect: 'current', ...given }
}

function refused(
  expect: ReceiptRefusalReason,
  receipt: unknown,
  given: Partial<Omit<ReceiptVector, 'expect'>> = {},
): ReceiptVector {
  return { pins, question, now, receipts: [receipt], expect, ...given }
}

function altered(change: (response: Response) => Partial<Response>): MadeReceipt {
  return { ...good, response: { ...good.response, ...change(good.response) } }
}

function header(name: string, change: (value: string) => string): MadeReceipt {
  return altered(({ headers }) => ({ headers: { ...headers, [name]: change(headers[name] ?? '') } }))
}

function without(name: string): MadeReceipt {
  return altered(({ headers: { [name]: _, ...headers } }) => ({ headers }))
}

function body(change: (text: string) => string): MadeReceipt {
  return altered(({ body: text }) => ({ body: change(text) }))
}

const mallory = nameBody.replace('alice::1220ab', 'mallory::1220cd')
const spaced = JSON.stringify(JSON.parse(nameBody), null, 2)
const post = madeReceipt(one, {
  method: 'POST',
  path: '/api/scan/v2/updates',
  sent: '{"page_size":10}',
  body: '{"transactions":[]}',
})
const searched = madeReceipt(one, {
  path: '/v0/scan-proxy/ans-entries?page_size=10&name_prefix=al',
  body: '{"entries":[]}',
})
const weak = weakKey(three)
/**
 * Returns a receipt for an answer on which the quorum agreed at `at`, and which the daemon signed later, at `created`.
 * A daemon signs late if it got its key only after it had cached the answer.
 */
function signedLater(at: number, created: number): MadeReceipt {
  const receipt = receiptField({ created: at, asOf: undefined, body: nameBody, roster: 'the roster' })
  return madeReceipt(one, { created, receipt })
}

const earlier = { created: agreedAt - 120, expires: agreedAt + 3_600 }

const accepted: Readonly<Record<string, ReceiptVector>> = {
  'a value is verified': verified(good),
  'an absence is verified like a value': verified(
    madeReceipt(one, { status: 404, body: '{"error":"No ans entry found for name: alice.unverified.cns"}' }),
  ),
  'a read by POST is verified together with the body that was sent': verified(post),
  'a query is part of the question': verified(searched),
  'an answer of a mirror says when it was true': verified(madeReceipt(one, { asOf: agreedAt - 3_600 })),
  'names that are not ASCII are verified': verified(
    madeReceipt(one, { quorum: 'agreed=2, threshold=2, asked=2, voters=4', agreed: '%"caf%c3%a9", "sv-b"' }),
  ),
  'a number that no double holds keeps its digits': verified(
    madeReceipt(one, { body: '{"amount":12345678901234567890.5}' }),
  ),
  'signatures of others beside the receipt do not matter': verified(
    altered(({ headers }) => ({
      headers: {
        ...headers,
        'signature-input': `proxy=("@status");created=1;keyid="p", ${headers['signature-input']}`,
        signature: `${headers['signature']}, proxy=:AAAA:`,
      },
    })),
  ),
  'a key that is pinned by its id is taken from the receipt': verified(
    { ...good, keys: [two.jwk, one.jwk] },
    { pins: [{ name: 'one', key: one.keyid }] },
  ),
  'two owners vouch for one value in different bytes': verified(good, {
    k: 2,
    receipts: [good, madeReceipt(two, { body: spaced })],
  }),
  'two owners whose clocks are 5 minutes apart vouch for one value': verified(good, {
    k: 2,
    receipts: [good, madeReceipt(two, { created: agreedAt + 300, expires: agreedAt + 86_400 })],
  }),
  'a clock that is 5 minutes behind is tolerated': verified(good, { now: agreedAt - 300 }),
  'a clock that is 5 minutes ahead is tolerated': verified(good, { now: agreedAt + 86_400 + 300 }),
  'an answer that is as old as the verifier allows is accepted': verified(good, { maxAgeSeconds: 60 }),
  'a roster that is pinned is accepted': verified(good, {
    rosters: [sha256('the roster').toString('base64url')],
  }),
  'a newer answer of the same key is accepted': verified(good, { seen: [madeReceipt(one, earlier)] }),
  'a newer answer is accepted, though the older one was signed later': verified(good, {
    seen: [signedLater(agreedAt - 60, agreedAt + 30)],
  }),
  'an older answer to another question is no replay': verified(good, {
    seen: [madeReceipt(one, { path: `${namePath}x`, created: agreedAt + 30 })],
  }),
  'operators are counted where the daemon counts them': verified(
    madeReceipt(one, {
      quorum:
        'agreed=5, threshold=5, asked=6, voters=13, operators=4, operator-threshold=3, operator-voters=9',
    }),
    { operators: 4, threshold: 5 },
  ),
}

const alteredOnes: Readonly<Record<string, ReceiptVector>> = {
  'an altered body is refused': refused(
    'bodyAltered',
    body(() => mallory),
  ),
  'an altered body with its own digest is refused': refused(
    'badSignature',
    altered(({ headers }) => ({
      body: mallory,
      headers: { ...headers, 'content-digest': digestField(mallory) },
    })),
  ),
  'a body that was printed anew with spaces is told from an altered one': refused(
    'reencoded',
    body(() => spaced),
  ),
  'a body with a byte order mark is told from an altered one': refused(
    'reencoded',
    body((text) => `\uFEFF${text}`),
  ),
  'a body with other escapes is told from an altered one': refused(
    'reencoded',
    body((text) => text.replace('alice', '\\u0061lice')),
  ),
  'a body with its members in another order is told from an altered one': refused(
    'reencoded',
    body((text) =>
      JSON.stringify({ entry: Object.fromEntries(Object.entries(JSON.parse(text).entry).reverse()) }),
    ),
  ),
  'an altered status is refused': refused(
    'badSignature',
    altered(() => ({ status: 201 })),
  ),
  'an altered content type is refused': refused(
    'badSignature',
    header('content-type', (type) => `${type}; a=b`),
  ),
  'an altered quorum is refused': refused(
    'badSignature',
    header('x-bft-quorum', (text) => text.replace('6', '7')),
  ),
  'an altered name of a super validator is refused': refused(
    'badSignature',
    header('x-bft-agreed', (text) => text.replace('sv-e', 'sv-f')),
  ),
  'an altered time of agreement is refused': refused(
    'badSignature',
    header('x-bft-receipt', (text) => text.replace(`${agreedAt}`, `${agreedAt + 1}`)),
  ),
  'an altered time of creation is refused': refused(
    'badSignature',
    header('signature-input', (text) => text.replace(`created=${agreedAt}`, `created=${agreedAt + 1}`)),
  ),
  'an altered id of the key is refused': refused(
    'badSignature',
    header('signature-input', (text) => text.replace(one.keyid, two.keyid)),
  ),
  'an altered end is refused': refused(
    'badSignature',
    header('signature-input', (text) => text.replace(/expires=\d+/, `expires=${agreedAt + 80_000}`)),
  ),
  'an altered path is refused': refused('badSignature', good, {
    question: { ...question, path: `${namePath}x` },
    receipts: [{ ...good, request: { ...question, path: `${namePath}x` } }],
  }),
  'an altered query is refused': refused('badSignature', good, {
    question: { ...question, path: `${namePath}?a=b` },
    receipts: [{ ...good, request: { ...question, path: `${namePath}?a=b` } }],
  }),
  'an altered body of the request is refused': refused('badSignature', good, {
    question: { ...post.request, body: '{"page_size":11}' },
    receipts: [{ ...post, request: { ...post.request, body: '{"page_size":11}' } }],
  }),
  'an altered signature is refused': refused(
    'badSignature',
    header('signature', (text) => text.replace(/:(.)/, (_, first) => `:${first === 'A' ? 'B' : 'A'}`)),
  ),
  'a signature that is too short is refused': refused(
    'badSignature',
    header('signature', () => 'receipt=:AAAA:'),
  ),
  'a header that is missing is named': refused('missingHeader', without('x-bft-agreed')),
}

const keyOnes: Readonly<Record<string, ReceiptVector>> = {
  'a key that is not pinned is refused': refused('unknownKey', madeReceipt(three)),
  'a receipt cannot bring a key that is not pinned': refused('unknownKey', {
    ...madeReceipt(three),
    keys: [three.jwk],
  }),
  'a key with the id of another one is refused': refused(
    'badSignature',
    madeReceipt({ ...three, keyid: one.keyid }),
  ),
  'a key that is pinned by its id must be in the receipt': refused(
    'keyNotGiven',
    { ...good, keys: [two.jwk] },
    { pins: [{ name: 'one', key: one.keyid }] },
  ),
  'a key of small order is refused, though a signature by it verifies': refused(
    'weakKey',
    madeReceipt(weak, { signing: signatureOfWeakKey }),
    { pins: [{ name: 'weak', key: weak.jwk }] },
  ),
  'a signature with an S beyond the order of the group is refused': refused(
    'malleable',
    madeReceipt(one, { signing: (base) => malleated(sign(null, base, one.privateKey)) }),
  ),
  'a signature with an R of mixed order is refused': refused(
    'badSignature',
    madeReceipt(one, { signing: signatureOfMixedOrder(one) }),
  ),
  'a signature with an R of small order is refused': refused(
    'malleable',
    madeReceipt(one, { signing: () => Buffer.concat([Buffer.of(1), Buffer.alloc(63)]) }),
  ),
}

const formOnes: Readonly<Record<string, ReceiptVector>> = {
  'an answer without a receipt is told from a damaged one': refused('noReceipt', without('signature-input')),
  'a tag of something else is no receipt': refused(
    'noReceipt',
    madeReceipt(one, { parameters: (text) => text.replace('bft-scan-receipt', 'web-bot-auth') }),
  ),
  'two signatures with the tag of receipts are refused': refused(
    'severalSignatures',
    header('signature-input', (text) => `${text}, other=${text.slice('receipt='.length)}`),
  ),
  'a label that is repeated is refused': refused(
    'malformedSignature',
    header('signature-input', (text) => `${text}, ${text}`),
  ),
  'a label without its signature is refused': refused(
    'malformedSignature',
    header('signature-input', (text) => `${text}, other=("@status");created=1`),
  ),
  'a label without its parameters is refused': refused(
    'malformedSignature',
    header('signature', (text) => `${text}, other=:AAAA:`),
  ),
  'another algorithm is refused': refused(
    'otherAlgorithm',
    madeReceipt(one, { parameters: (text) => text.replace('"ed25519"', '"hmac-sha256"') }),
  ),
  'a signature without an algorithm is refused': refused(
    'otherParameters',
    madeReceipt(one, { parameters: (text) => text.replace(';alg="ed25519"', '') }),
  ),
  'a further parameter is refused': refused(
    'otherParameters',
    madeReceipt(one, { parameters: (text) => `${text};nonce="abc"` }),
  ),
  'a signature that does not cover the path is refused': refused(
    'otherComponents',
    madeReceipt(one, { covering: (list) => list.filter(([name]) => name !== '"@path";req') }),
  ),
  'a signature that covers more is refused': refused(
    'otherComponents',
    madeReceipt(one, { covering: (list) => [...list, ['"@authority";req', 'example.org']] }),
  ),
  'a component that is listed twice is refused': refused(
    'otherComponents',
    madeReceipt(one, { covering: (list) => [...list, ...list.slice(0, 1)] }),
  ),
  'a signature header that is no structured field is refused': refused(
    'malformedSignature',
    header('signature', (text) => `${text},`),
  ),
  'another digest of the body than SHA-256 is refused': refused(
    'noBodyDigest',
    madeReceipt(one, { contentDigest: () => `sha-512=:${Buffer.alloc(64).toString('base64')}:` }),
  ),
  'another version is refused': refused(
    'malformedTerms',
    madeReceipt(one, {
      receipt: receiptField({ created: agreedAt, asOf: undefined, body: nameBody, roster: 'r' }, 2),
    }),
  ),
  'a digest of another value is refused': refused(
    'otherValue',
    madeReceipt(one, {
      receipt: receiptField({ created: agreedAt, asOf: undefined, body: mallory, roster: 'r' }),
    }),
  ),
  'an unknown format of the file is refused': refused('malformed', { ...good, format: 2 }),
  'a file without a response is refused': refused('malformed', { format: 1, request: question }),
}

const expired = agreedAt + 86_400 + 301

function provedThen(given: Partial<ReceiptVector> = {}): ReceiptVector {
  return { ...verified(good, { now: expired, ...given }), expect: 'provedThen' }
}

const pastOnes: Readonly<Record<string, ReceiptVector>> = {
  'a receipt that expired has proved then': provedThen(),
  'an absence that expired has proved then': provedThen({
    receipts: [madeReceipt(one, { status: 404, body: '{"error":"none"}' })],
  }),
  'two receipts that expired and were current together count': provedThen({
    k: 2,
    receipts: [good, madeReceipt(two, { created: agreedAt + 60, expires: agreedAt + 120 })],
  }),
  'two receipts that were never current together are too few': refused('tooFewKeys', good, {
    k: 2,
    receipts: [good, madeReceipt(two, { created: expired + 300, expires: expired + 600 })],
    now: expired + 400,
  }),
  'a current receipt counts before a different one that expired': verified(good, {
    receipts: [madeReceipt(two, { body: mallory, created: agreedAt - 900, expires: agreedAt - 600 }), good],
  }),
  'different receipts that expired together are refused': refused('valuesDiffer', good, {
    receipts: [good, madeReceipt(two, { body: mallory })],
    now: expired,
  }),
  'an altered body is refused when its receipt expired': refused(
    'bodyAltered',
    body(() => mallory),
    { now: expired },
  ),
}

const timeOnes: Readonly<Record<string, ReceiptVector>> = {
  'a receipt for another name is refused': refused(
    'otherQuestion',
    madeReceipt(one, { path: namePath.replace('alice', 'bob') }),
  ),
  'a receipt for another query is refused': refused('otherQuestion', searched, {
    question: { method: 'GET', path: '/v0/scan-proxy/ans-entries?page_size=10' },
  }),
  'a receipt for another body of a POST is refused': refused('otherQuestion', post, {
    question: { ...post.request, body: '{"page_size":11}' },
  }),
  'a receipt that expired is refused where a current one is wanted': refused('expired', good, {
    now: expired,
    current: true,
  }),
  'an answer that is a second older than the verifier allows is refused': refused('tooOld', good, {
    maxAgeSeconds: 59,
  }),
  'a receipt from the future is refused': refused('fromTheFuture', good, { now: agreedAt - 301 }),
  'a receipt that lives for more than a day is refused': refused(
    'impossibleTimes',
    madeReceipt(one, { expires: agreedAt + 86_401 }),
  ),
  'a receipt that ends before it begins is refused': refused(
    'impossibleTimes',
    madeReceipt(one, { expires: agreedAt - 1 }),
  ),
  'a receipt whose quorum agreed after it was made is refused': refused(
    'impossibleTimes',
    madeReceipt(one, {
      receipt: receiptField({ created: agreedAt + 1, asOf: undefined, body: nameBody, roster: 'r' }),
    }),
  ),
  'a receipt of before a roster change is refused': refused('otherRoster', good, {
    rosters: [sha256('the next roster').toString('base64url')],
  }),
  'another roster than the one that was accepted first is refused': refused('otherRoster', good, {
    seen: [madeReceipt(one, { ...earlier, roster: 'the roster before' })],
  }),
  'an older answer than one that was seen is refused': refused('olderThanSeen', good, {
    seen: [madeReceipt(one, { created: agreedAt + 1 })],
  }),
}

const replayedOnes: Readonly<Record<string, ReceiptVector>> = {
  'an older answer than one that was seen is refused, though both were signed in one second': refused(
    'olderThanSeen',
    signedLater(agreedAt - 60, agreedAt),
    { seen: [signedLater(agreedAt - 30, agreedAt)] },
  ),
  'an answer of a mirror is as old as its snapshot': refused(
    'olderThanSeen',
    madeReceipt(one, { asOf: agreedAt - 3_600 }),
    { seen: [madeReceipt(one, earlier)] },
  ),
}

const agreementOnes: Readonly<Record<string, ReceiptVector>> = {
  'a threshold that is too low is refused': refused('thresholdTooLow', good, { threshold: 9 }),
  'fewer names than the threshold are refused': refused(
    'tooFewAgreed',
    madeReceipt(one, { quorum: 'agreed=1, threshold=5, asked=6, voters=13', agreed: '"sv-a"' }),
  ),
  'a name that counts twice is refused': refused(
    'tooFewAgreed',
    madeReceipt(one, { quorum: 'agreed=2, threshold=2, asked=2, voters=4', agreed: '"sv-a", "sv-a"' }),
  ),
  'a count that is not that of the names is refused': refused(
    'malformedTerms',
    madeReceipt(one, { agreed: '"sv-a"' }),
  ),
  'too few operators are refused': refused('tooFewOperators', good, { operators: 3 }),
  'one daemon is too few for two owners': refused('tooFewKeys', good, { k: 2 }),
  'the same receipt twice counts once': refused('tooFewKeys', good, { k: 2, receipts: [good, good] }),
  'two keys of one owner count once': refused('tooFewKeys', good, {
    k: 2,
    pins: [
      { name: 'one', owner: 'Firm A', key: one.jwk },
      { name: 'two', owner: 'Firm A', key: two.jwk },
    ],
    receipts: [good, madeReceipt(two)],
  }),
  'different values of two owners are too few for either': refused('tooFewKeys', good, {
    k: 2,
    receipts: [good, madeReceipt(two, { body: mallory })],
  }),
  'different values that both have enough owners are refused': refused('valuesDiffer', good, {
    receipts: [good, madeReceipt(two, { body: mallory })],
  }),
  'a value and an absence differ': refused('valuesDiffer', good, {
    receipts: [good, madeReceipt(two, { status: 404 })],
  }),
}

export const receiptVectors: Readonly<Record<string, ReceiptVector>> = {
  ...accepted,
  ...alteredOnes,
  ...keyOnes,
  ...formOnes,
  ...pastOnes,
  ...timeOnes,
  ...replayedOnes,
  ...agreementOnes,
}

export const vectorFolder = join(import.meta.dirname, '../vectors/receipts')

export function printVector(vector: ReceiptVector): string {
  return `${JSON.stringify(vector, null, 2)}\n`
}

if (import.meta.main) {
  rmSync(vectorFolder, { recursive: true, force: true })
  mkdirSync(vectorFolder)
  for (const [sentence, vector] of Object.entries(receiptVectors))
    writeFileSync(join(vectorFolder, `${sentence}.json`), printVector(vector))
}

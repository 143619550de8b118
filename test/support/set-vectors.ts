import { agreedAt, digestField, type MadeReceipt, madeReceipt, namePath, testKey } from './receipt-signer.ts'
import type { ReceiptVector } from './receipt-vectors.ts'
import { leafOf, type SetTestimony, type TestEntry, TestSet, testEntry, treeHash } from './set-signer.ts'

const one = testKey('one')
const two = testKey('two')
const pins = [
  { name: 'one', owner: 'Firm A', key: one.jwk },
  { name: 'two', owner: 'Firm B', key: two.jwk },
]
const now = agreedAt + 60
const alice = 'alice.unverified.cns'
const names = ['al', alice, 'alice.unverified.cnsx', 'bob', 'carol', 'dave', 'josé', '\u{ff5e}', '\u{1f600}']
const set = new TestSet(names.map((name) => testEntry(name)))
const good = set.answer(one, alice)
const absent = set.answer(one, 'bobby')

function verified(receipt: MadeReceipt, given: Partial<ReceiptVector> = {}): ReceiptVector {
  return { pins, question: receipt.request, now, receipts: [receipt], expect: 'verified', ...given }
}

function refused(
  expect: ReceiptVector['expect'],
  receipt: MadeReceipt,
  given: Partial<ReceiptVector> = {},
): ReceiptVector {
  return { ...verified(receipt, given), expect }
}

function altered(
  receipt: MadeReceipt,
  change: Partial<Omit<MadeReceipt['response'], 'headers'>>,
  headers: Readonly<Record<string, string>> = {},
): MadeReceipt {
  const { response } = receipt
  return {
    ...receipt,
    response: { ...response, ...change, headers: { ...response.headers, ...headers } },
  }
}

function without(receipt: MadeReceipt, name: string): MadeReceipt {
  const { [name]: _, ...headers } = receipt.response.headers
  return { ...receipt, response: { ...receipt.response, headers } }
}

/**
 * Returns a proof that a name is absent at the position `index`, with the entries at `left` and `right` as its
 * neighbours.
 */
function between(left: number, right: number, index: number): string {
  const [, before = ''] = /(left=.*?:, left-path=:[^:]*:)/.exec(set.exclusion(left + 1)) ?? []
  const [, after = ''] = /(right=.*?:, right-path=:[^:]*:)/.exec(set.exclusion(right)) ?? []
  return `index=${index}, ${before}, ${after}`
}

function aliceWith(given: Partial<SetTestimony>): MadeReceipt {
  return set.answer(one, alice, given)
}

const bodyOf = (entry: TestEntry) => JSON.stringify({ entry })
const mallory = bodyOf(testEntry(alice, { user: 'mallory::1220cd' }))
const signedAnswer = madeReceipt(one)
const { headers: setHeaders } = good.response
const { headers: answerHeaders } = signedAnswer.response
const bothSignatures = altered(
  signedAnswer,
  {},
  {
    'x-bft-set': setHeaders['x-bft-set'] ?? '',
    'x-bft-proof': setHeaders['x-bft-proof'] ?? '',
    'signature-input': `${answerHeaders['signature-input']}, ${setHeaders['signature-input']}`,
    signature: `${answerHeaders['signature']}, ${setHeaders['signature']}`,
  },
)
const twins = [testEntry('bob', { contract_id: '01' }), testEntry('bob', { contract_id: '02' })]
const withTwins = [leafOf(testEntry('al')), leafOf(twins), leafOf(testEntry('carol'))]
const twinSet = Object.assign(new TestSet(['al', 'bob', 'carol'].map((name) => testEntry(name))), {
  leaves: withTwins,
})
const twinRoot = treeHash(withTwins)

const accepted: Readonly<Record<string, ReceiptVector>> = {
  'with a signed set, a name is proved by its path to the signed root': verified(good),
  'with a signed set, an absence is proved by its two neighbours': verified(absent),
  'with a signed set, an absence before all names is proved by the first one': verified(set.answer(one, 'a')),
  'with a signed set, an absence after all names is proved by the last one': verified(
    set.answer(one, '\u{1f601}'),
  ),
  'with a signed set, an absence from a set without names needs no neighbour': verified(
    new TestSet([]).answer(one, alice),
  ),
  'with a signed set, the only name of a set has an empty path': verified(
    new TestSet([testEntry(alice)]).answer(one, alice),
  ),
  'with a signed set, names are sorted by code point, and not by UTF-16 unit': verified(
    set.answer(one, '\u{ff5f}'),
  ),
  'with a signed set, a name that is not ASCII is percent-encoded in the path': verified(
    set.answer(one, 'josé'),
  ),
  'with a signed set, the strings of a leaf are printed as in RFC 8785': verified(
    new TestSet([
      testEntry(alice, { description: '"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é\u{1f600}<' }),
    ]).answer(one, alice),
  ),
  'with a signed set, a body that was printed anew says the same': verified(
    altered(good, { body: JSON.stringify(JSON.parse(good.response.body), null, 2) }),
  ),
  "with a signed set, Splice's scan proxy has its own text for an absence": verified(
    set.answer(one, 'bobby', { body: '{"error":"Did not find a AnsEntry with name bobby"}' }),
  ),
  'with a signed set, a set proves a name on each path on which daemons answer it': verified(
    aliceWith({ path: `/api/scan/v0/ans-entries/by-name/${alice}` }),
  ),
  'with a signed set, of two signatures that of the answer counts': verified(
    altered(bothSignatures, {}, { 'x-bft-proof': 'index=0' }),
  ),
  'with a signed set, a proof by one owner and a signed answer by another vouch for one value': verified(
    good,
    {
      k: 2,
      receipts: [good, madeReceipt(two, { body: good.response.body })],
    },
  ),
  'with a signed set, several entries of one name are one leaf, and bound absences': verified(
    twinSet.answer(one, 'bobby', { root: twinRoot, proof: twinSet.exclusion(2) }),
  ),
  'with a signed set, a set that is as old as the verifier allows is accepted': verified(good, {
    now: agreedAt + 3_600,
    maxAgeSeconds: 3_600,
  }),
}

const forged: Readonly<Record<string, ReceiptVector>> = {
  'with a signed set, an altered entry is refused': refused('badProof', altered(good, { body: mallory })),
  'with a signed set, an altered number of names is refused': refused(
    'badSignature',
    altered(good, {}, { 'x-bft-set': (setHeaders['x-bft-set'] ?? '').replace('names=9', 'names=8') }),
  ),
  'with a signed set, an altered root is refused': refused('badProof', aliceWith({ root: treeHash(['x']) })),
  'with a signed set, the number of names belongs to the shape of the tree': refused(
    'badProof',
    aliceWith({ names: 17 }),
  ),
  'with a signed set, a path at another position is refused': refused(
    'badProof',
    aliceWith({ proof: set.inclusion(1).replace('index=1', 'index=0') }),
  ),
  'with a signed set, the path of another name is refused': refused(
    'badProof',
    aliceWith({ proof: set.inclusion(2) }),
  ),
  'with a signed set, a path that is too short is refused': refused(
    'badProof',
    aliceWith({ proof: 'index=1, path=::' }),
  ),
  'with a signed set, a position beyond the set is refused': refused(
    'badProof',
    aliceWith({ proof: set.inclusion(1).replace('index=1', 'index=9') }),
  ),
  'with a signed set, a right neighbour that is not adjacent is refused': refused(
    'badProof',
    set.answer(one, 'bobby', { proof: between(3, 5, 4) }),
  ),
  'with a signed set, a left neighbour that is not adjacent is refused': refused(
    'badProof',
    set.answer(one, 'bobby', { proof: between(2, 4, 4) }),
  ),
  'with a signed set, neighbours around another place are refused': refused(
    'notNeighbours',
    set.answer(one, 'bobby', { proof: set.exclusion(3) }),
  ),
  'with a signed set, a place that lacks its left neighbour is refused': refused(
    'notNeighbours',
    set.answer(one, 'bobby', { proof: set.exclusion(4).replace(/, left=.*?, right=/, ', right=') }),
  ),
  'with a signed set, a first name has no left neighbour': refused(
    'notNeighbours',
    set.answer(one, 'bobby', { proof: set.exclusion(4).replace('index=4', 'index=0') }),
  ),
  'with a signed set, a place that lacks its right neighbour is refused': refused(
    'notNeighbours',
    set.answer(one, 'bobby', { proof: set.exclusion(4).replace(/, right=.*/, '') }),
  ),
  'with a signed set, the last name alone proves no absence after another one': refused(
    'badProof',
    set.answer(one, 'bobby', {
      proof: set
        .exclusion(9)
        .replace('index=9', 'index=4')
        .concat(', ', set.exclusion(0).slice('index=0, '.length)),
    }),
  ),
  'with a signed set, a name that the set has is not absent before itself': refused(
    'notNeighbours',
    set.answer(one, 'bob', {
      status: 404,
      body: '{"error":"No ans entry found for name: bob"}',
      proof: set.exclusion(3),
    }),
  ),
  'with a signed set, a name that the set has is not absent after itself': refused(
    'notNeighbours',
    set.answer(one, 'bob', {
      status: 404,
      body: '{"error":"No ans entry found for name: bob"}',
      proof: set.exclusion(4),
    }),
  ),
  'with a signed set, a set with names has no proof without neighbours': refused(
    'notNeighbours',
    set.answer(one, 'bobby', { proof: 'index=0' }),
  ),
  'with a signed set, a set without names has the root of nothing': refused(
    'badProof',
    new TestSet([]).answer(one, alice, { root: treeHash(['x']) }),
  ),
  'with a signed set, a leaf without a name bounds nothing': refused(
    'badProof',
    Object.assign(new TestSet([]), { leaves: ['{}'] }).answer(one, alice, {
      root: treeHash(['{}']),
      names: 1,
      proof: `index=0, right=:${Buffer.from('{}').toString('base64')}:, right-path=::`,
    }),
  ),
  'with a signed set, one of several entries of one name is not proved': refused(
    'badProof',
    twinSet.answer(one, 'bob', { root: twinRoot, body: bodyOf(twins[0] as TestEntry) }),
  ),
}

const otherOnes: Readonly<Record<string, ReceiptVector>> = {
  'with a signed set, a proof of another name is refused': refused('otherQuestion', good, {
    question: { method: 'GET', path: namePath.replace('alice', 'bob') },
  }),
  'with a signed set, a lookup by party is no question of sets': refused('notOfSets', good, {
    question: { method: 'GET', path: '/api/scan/v0/ans-entries/by-party/alice%3A%3A1220ab' },
  }),
  'with a signed set, a path with a query is no question of sets': refused('notOfSets', good, {
    question: { method: 'GET', path: `${namePath}?a=b` },
  }),
  'with a signed set, the DSO has a name without an entry, so its absence proves nothing': refused(
    'notOfSets',
    set.answer(one, 'dso.cns'),
  ),
  'with a signed set, super validators have names without entries, so their absence proves nothing': refused(
    'notOfSets',
    set.answer(one, 'sv-1.sv.cns'),
  ),
  'with a signed set, a value needs the proof of a name': refused(
    'malformedProof',
    altered(absent, { status: 200 }),
  ),
  'with a signed set, an absence needs the proof of an absence': refused(
    'malformedProof',
    altered(good, { status: 404 }),
  ),
  'with a signed set, another status has no proof': refused('malformedProof', altered(good, { status: 410 })),
  'with a signed set, a missing proof is refused': refused('malformedProof', without(good, 'x-bft-proof')),
  'with a signed set, a proof has one text': refused(
    'malformedProof',
    aliceWith({ proof: set.inclusion(1).replace(', ', ',  ') }),
  ),
  'with a signed set, a missing statement is named': refused('missingHeader', without(good, 'x-bft-set')),
  'with a signed set, a body with more than the entry is refused': refused(
    'otherBody',
    altered(good, { body: good.response.body.replace(/}$/, ',"also":1}') }),
  ),
  'with a signed set, an absence of another name in the body is refused': refused(
    'otherBody',
    altered(absent, { body: '{"error":"No ans entry found for name: bob"}' }),
  ),
  'with a signed set, a body that is no JSON is refused': refused(
    'malformed',
    altered(absent, { body: 'none' }),
  ),
  'with a signed set, a body whose entry ends at no time is refused': refused(
    'otherBody',
    new TestSet([testEntry(alice, { expires_at: 'never' })]).answer(one, alice),
  ),
  'with a signed set, another version is refused': refused('malformedTerms', aliceWith({ version: 2 })),
  'with a signed set, the signature of a set is none of an answer': refused(
    'otherComponents',
    altered(
      good,
      {},
      {
        'signature-input': (setHeaders['signature-input'] ?? '').replace('bft-scan-set', 'bft-scan-receipt'),
        'content-digest': digestField(good.response.body),
      },
    ),
  ),
  'with a signed set, the signature of an answer is none of a set': refused(
    'otherComponents',
    altered(
      signedAnswer,
      {},
      {
        'signature-input': (answerHeaders['signature-input'] ?? '').replace(
          'bft-scan-receipt',
          'bft-scan-set',
        ),
      },
    ),
  ),
  'with a signed set, a signature of a set that was made with the tag of answers is refused': refused(
    'badSignature',
    altered(
      aliceWith({ parameters: (text) => text.replace('bft-scan-set', 'bft-scan-receipt') }),
      {},
      { 'signature-input': setHeaders['signature-input'] ?? '' },
    ),
  ),
}

const timeOnes: Readonly<Record<string, ReceiptVector>> = {
  'with a signed set, a set that is older than the verifier allows is refused': refused('tooOld', good, {
    now: agreedAt + 3_601,
    maxAgeSeconds: 3_600,
  }),
  'with a signed set, a set of yesterday is refused': refused('expired', good, {
    now: agreedAt + 86_400 + 301,
  }),
  'with a signed set, a set from the future is refused': refused('fromTheFuture', good, {
    now: agreedAt - 301,
  }),
  'with a signed set, an entry that ended is refused, though its set did not': refused(
    'expired',
    new TestSet([testEntry(alice, { expires_at: '2026-11-22T03:00:30Z' })]).answer(one, alice),
    { now: agreedAt + 331 },
  ),
  'with a signed set, an older set than the answer that was seen is refused': refused('olderThanSeen', good, {
    seen: [madeReceipt(one, { created: agreedAt + 30 })],
  }),
  'with a signed set, a set of another roster is refused': refused(
    'otherRoster',
    aliceWith({ roster: 'another' }),
    {
      seen: [set.answer(one, alice, { at: agreedAt - 10_800 })],
    },
  ),
  'with a signed set, a set that too few gave alike is refused': refused(
    'tooFewAgreed',
    aliceWith({ agreed: '"sv-a"' }),
  ),
  'with a signed set, a threshold that is too low for the verifier is refused': refused(
    'thresholdTooLow',
    good,
    {
      threshold: 9,
    },
  ),
  'with a signed set, a key that is not pinned is refused': refused(
    'unknownKey',
    set.answer(testKey('three'), alice),
  ),
  'with a signed set, a value and an absence of two owners contradict each other': refused(
    'valuesDiffer',
    good,
    {
      receipts: [good, new TestSet([]).answer(two, alice)],
    },
  ),
}

export const setVectors: Readonly<Record<string, ReceiptVector>> = {
  ...accepted,
  ...forged,
  ...otherOnes,
  ...timeOnes,
}

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/base/lib/canonical-json.ts'
import { digest } from '../../src/base/lib/digest.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { reads } from '../../src/core/reads/table.ts'
import { Ballots, type HeardResponse } from '../../src/core/scan/ballots.ts'
import type { Printed } from '../../src/core/scan/judgement.ts'
import { samples } from '../reads/samples.ts'

const name = 'alice.unverified.cns'
const absent = `No ans entry found for name: ${name}`
const { entry } = samples.lookupAnsEntryByName.reply

function byName(): Ballots {
  return new Ballots({ read: reads.lookupAnsEntryByName, params: { name } })
}

function bytesOf(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Judges a short body. The serving thread judges short bodies itself, so there is nothing to wait for. */
function hearNow(ballots: Ballots, voter: number, status: number, body: unknown): HeardResponse {
  return ballots.hear(voter, status, bytesOf(body)) as HeardResponse
}

function heard(read: Read, params: Params, status: number, body: unknown): Reply {
  return hearNow(new Ballots({ read, params }), 0, status, body).reply
}

function voteOf(reply: Reply): string {
  if (reply.kind !== 'value' && reply.kind !== 'refusal') throw new Error(`no vote: ${reply.kind}`)
  return reply.vote
}

const spelt = fc.record({
  description: fc.constantFrom('a', 'b', 'é', '\u{1f600}'),
  isSpaced: fc.boolean(),
  isReversed: fc.boolean(),
  more: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
})

test('two bodies have one vote exactly when they say the same, in whatever order they come and however they are written', () => {
  fc.assert(
    fc.property(fc.array(spelt, { minLength: 2, maxLength: 8 }), (said) => {
      const ballots = byName()
      const votes = said.map(({ description, isSpaced, isReversed, more }, voter) => {
        const fields = Object.entries({ ...entry, description, ...(more === undefined ? {} : { more }) })
        const body = { entry: Object.fromEntries(isReversed ? fields.reverse() : fields) }
        return voteOf(hearNow(ballots, voter, 200, JSON.stringify(body, null, isSpaced ? 2 : 0)).reply)
      })
      for (const [one, { description }] of said.entries()) {
        for (const [other, { description: another }] of said.entries()) {
          expect(votes[one] === votes[other]).toBe(description === another)
        }
        expect(ballots.statement(votes[one] as string)).toMatchObject({
          kind: 'value',
          value: { entry: { ...entry, description } },
        })
      }
    }),
    { numRuns: 200 },
  )
})

test('every voter is behind one body of the vote that it gave, and only bodies that are new are kept', () => {
  fc.assert(
    fc.property(fc.array(spelt, { minLength: 1, maxLength: 8 }), (said) => {
      const ballots = byName()
      const texts = said.map(({ isSpaced, ...rest }) =>
        JSON.stringify({ entry: { ...entry, ...rest } }, null, isSpaced ? 2 : 0),
      )
      const given = texts.map((text, voter) => hearNow(ballots, voter, 200, text))
      expect(given.map(({ kept }) => kept)).toEqual(texts.map((text, at) => texts.indexOf(text) === at))
      const votes = [...new Set(given.map(({ reply }) => voteOf(reply)))]
      const behind = votes.flatMap((vote) =>
        ballots
          .statement(vote)
          .bodies.flatMap(({ bytes, voters }) => voters.map((voter) => [voter, vote, bytes.toString()])),
      )
      expect(behind.sort(([a], [b]) => Number(a) - Number(b))).toEqual(
        given.map(({ reply }, voter) => [voter, voteOf(reply), texts[voter]]),
      )
    }),
    { numRuns: 200 },
  )
})

describe('a refusal', () => {
  test('has the vote of its status and its text, and of nothing else', () => {
    const ballots = byName()
    const cases = fc.array(
      fc.tuple(fc.constantFrom(400, 409, 410, 422), fc.constantFrom('x', 'y'), fc.boolean()),
      {
        minLength: 2,
      },
    )
    fc.assert(
      fc.property(cases, (said) => {
        const votes = said.map(([status, error, isSpaced], voter) => {
          const text = JSON.stringify({ error }, null, isSpaced ? 2 : 0)
          return voteOf(hearNow(ballots, voter, status, text).reply)
        })
        for (const [one, [status, error]] of said.entries()) {
          for (const [other, [otherStatus, otherError]] of said.entries()) {
            expect(votes[one] === votes[other]).toBe(status === otherStatus && error === otherError)
          }
        }
      }),
    )
  })

  test('is kept with its status and text, and never served as the bytes that a node sent', () => {
    const ballots = byName()
    const { reply, kept } = hearNow(ballots, 3, 409, { error: 'taken', more: 1 })
    expect([reply, kept]).toEqual([{ kind: 'refusal', vote: '0' }, true])
    const { bodies, comparison, ...statement } = ballots.statement('0')
    expect(statement).toEqual({ kind: 'refusal', status: 409, text: 'taken' })
    expect(bodies).toMatchObject([{ status: 409, judged: undefined, voters: [3] }])
    const canonical = canonicalJson({ error: 'taken', status: 409 })
    expect(comparison ?? ballots.statement('0').comparison).toEqual({
      digest: digest(canonical),
      excerpt: canonical,
    })
  })

  test('by 404 is absence in the very words of the row, not in longer ones', () => {
    expect(heard(reads.lookupAnsEntryByName, { name }, 404, { error: absent }).kind).toBe('refusal')
    expect(heard(reads.lookupAnsEntryByName, { name }, 404, { error: `${absent}x` }).kind).toBe('abstention')
    expect(heard(reads.lookupAnsEntryByName, { name }, 404, { error: '' }).kind).toBe('abstention')
  })

  test('by another status needs no words that the row knows', () => {
    for (const status of [400, 409, 410, 422]) {
      expect(heard(reads.lookupAnsEntryByName, { name }, status, { error: 'Nothing here' }).kind).toBe(
        'refusal',
      )
    }
  })

  test.each(['[]', 'null', '"no"', '1', '{"error":1}', '{"error":{}}', '{"message":"no"}'])(
    'is none without a text under `error`: %s',
    (body) => {
      for (const status of [400, 404, 409, 410, 422]) {
        expect(heard(reads.lookupAnsEntryByName, { name }, status, body)).toEqual({
          kind: 'fault',
          fault: 'misshapen',
        })
      }
    },
  )

  test('without a body is absence by 404 alone, where the row says so', () => {
    const { getMigrationSchedule } = reads
    expect(heard(getMigrationSchedule, {}, 404, '').kind).toBe('refusal')
    expect(heard(getMigrationSchedule, {}, 410, '')).toEqual({ kind: 'fault', fault: 'not-json' })
    expect(heard(getMigrationSchedule, {}, 404, { error: 'Nothing here' }).kind).toBe('abstention')
    expect(heard(reads.lookupAnsEntryByName, { name }, 404, '')).toEqual({ kind: 'fault', fault: 'not-json' })
  })
})

test('a refusal has at most 64 KiB, and at most 4,096 parts', () => {
  const ofLength = (length: number) => JSON.stringify({ error: 'x'.repeat(length - 12) })
  const ofParts = (count: number) => JSON.stringify({ error: 'x', more: Array(count).fill(1) })
  const countsAs = (body: string) => {
    const reply = heard(reads.lookupAnsEntryByName, { name }, 409, body)
    return reply.kind === 'fault' ? reply.fault : reply.kind
  }
  expect([ofLength(65_536).length, countsAs(ofLength(65_536))]).toEqual([65_536, 'refusal'])
  expect(countsAs(ofLength(65_537))).toBe('oversized')
  expect(countsAs(ofParts(4_000))).toBe('refusal')
  expect(countsAs(ofParts(5_000))).toBe('misshapen')
})

test('faults and abstentions are not kept', () => {
  const ballots = byName()
  for (const [status, body] of [
    [200, '<html>'],
    [200, '{}'],
    [404, { error: 'Nothing here' }],
    [500, { error: 'x' }],
  ] as const) {
    expect(hearNow(ballots, 0, status, body).kept).toBe(false)
  }
  expect(() => ballots.statement('0')).toThrow('no such vote')
})

test.each([
  [199, 'unexpected-status'],
  [201, 'unexpected-status'],
  [205, 'unexpected-status'],
  [299, 'unexpected-status'],
  [300, 'redirect'],
  [304, 'redirect'],
  [399, 'redirect'],
  [401, 'unauthorized'],
  [402, 'unexpected-status'],
  [403, 'unauthorized'],
  [418, 'unexpected-status'],
  [429, 'rate-limited'],
  [499, 'unexpected-status'],
  [500, 'server-error'],
  [599, 'server-error'],
])('the status %i is a fault, whatever the body says', (status, fault) => {
  for (const body of [{ entry }, { error: absent }, '']) {
    expect(heard(reads.lookupAnsEntryByName, { name }, status, body)).toEqual({ kind: 'fault', fault })
  }
})

test('the evidence of a value has the digest of its canonical text', () => {
  const ballots = byName()
  const { kind, comparison } = ballots.statement(voteOf(hearNow(ballots, 0, 200, { entry }).reply))
  const canonical = canonicalJson({ entry })
  expect([kind, comparison]).toEqual(['value', { digest: digest(canonical), excerpt: canonical }])
})

describe('a list', () => {
  const [alice, dso] = samples.listAnsEntries.reply.entries
  const params = { page_size: '2' }

  test('has an item for each element, by which it is printed', () => {
    const ballots = new Ballots({ read: reads.listAnsEntries, params })
    const { reply } = hearNow(ballots, 0, 200, { entries: [alice, dso] })
    const other = { ...alice, description: 'another' }
    hearNow(ballots, 1, 200, { entries: [other] })
    const printed = (key: string, vote: string) => {
      const { body } = ballots.print(undefined, { on: 'items', items: [{ key, vote }] }) as Printed
      return JSON.parse(body.toString()) as unknown
    }
    if (reply.kind !== 'value') throw new Error(reply.kind)
    expect([reply.vote, reply.steps]).toEqual(['0', undefined])
    expect(reply.items?.map(({ key }) => key).sort()).toEqual([alice.name, dso.name].sort())
    for (const { key, vote, later } of reply.items ?? []) {
      const element = key === alice.name ? alice : dso
      expect(vote).toBe(digest(canonicalJson(element)))
      expect(printed(key, vote)).toEqual({ entries: [element] })
      expect(typeof later).toBe('string')
    }
    expect(printed(alice.name, digest(canonicalJson(other)))).toEqual({ entries: [other] })
    expect(() => printed(alice.name, digest(canonicalJson(dso)))).toThrow('no such item')
    expect(() => printed('nobody', digest(canonicalJson(alice)))).toThrow('no such item')
  })

  test('is served as it was sent only where it was in order', () => {
    const isVerbatim = (...entries: object[]) => {
      const ballots = new Ballots({ read: reads.listAnsEntries, params })
      return ballots.statement(voteOf(hearNow(ballots, 0, 200, { entries }).reply)).bodies[0]?.judged
        ?.verbatim
    }
    expect([isVerbatim(alice, dso), isVerbatim(dso, alice)]).toEqual([false, false])
  })

  test('is what only a read of lists has', () => {
    const ballots = byName()
    hearNow(ballots, 0, 200, { entry })
    const none = { on: 'items', items: [] } as const
    expect(() => ballots.print('0', none)).not.toThrow('no such vote')
    expect(() => ballots.print('1', { on: 'whole' })).toThrow('no such vote: 1')
  })
})

test('a value of several that may win has the rank that its read gives it', () => {
  const { params, reply } = samples.lookupAnsEntryByParty
  const { agree } = reads.lookupAnsEntryByParty
  if (agree.on !== 'ranked') throw new Error(agree.on)
  const said = heard(reads.lookupAnsEntryByParty, params, 200, reply)
  const rank = `${agree.rank(reply as never)}\0${digest(canonicalJson(reply as never))}`
  expect(said).toEqual({ kind: 'value', vote: '0', rank })
  const ballots = new Ballots({ read: reads.lookupAnsEntryByParty, params })
  const votes = ['a', 'b', 'a'].map((description, voter) =>
    voteOf(
      hearNow(ballots, voter, 200, JSON.stringify({ entry: { ...reply.entry, description } }, null, voter))
        .reply,
    ),
  )
  expect(votes).toEqual(['0', '1', '0'])
})

test('a value that has the hash of its request proves itself, and no other does', () => {
  const { reply } = samples.getRewardAccountingBatch
  const hashes = [reply, { batch_type: 'BatchOfBatches', child_hashes: [] }].map((value) => {
    const params = (batch_hash: string) => ({ round_number: '7', batch_hash })
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    return [value, params(provenHashOf(value, sha256))] as const
  })
  for (const [value, params] of hashes) {
    expect(heard(reads.getRewardAccountingBatch, params, 200, value)).toEqual({
      kind: 'value',
      vote: '0',
      proven: true,
    })
    const other = { ...params, batch_hash: 'ab' }
    expect(heard(reads.getRewardAccountingBatch, other, 200, value)).toEqual({ kind: 'value', vote: '0' })
  }
})

/** The row of the read computes the hash that would prove the value, and passes it to `noted`. */
function provenHashOf(value: unknown, sha256: (text: string) => string): string {
  let hash = ''
  const noted = (text: string) => {
    hash = sha256(text)
    return hash
  }
  reads.getRewardAccountingBatch.proves?.(value as never, { round_number: '7', batch_hash: '' }, noted)
  return hash
}

test('a normalised member is compared and served in its normal form', () => {
  const { reply } = samples.getDsoInfo
  const ballots = new Ballots({ read: reads.getDsoInfo, params: {} })
  const [a, b] = ['sv-1', 'sv-2'].map((sv_user, voter) =>
    voteOf(hearNow(ballots, voter, 200, JSON.stringify({ ...reply, sv_user }, null, voter)).reply),
  )
  expect(b).toBe(a)
  expect(ballots.statement('0')).toMatchObject({
    value: { sv_user: '' },
    bodies: [{ judged: { verbatim: false } }, { judged: { verbatim: false } }],
  })
})

test('a value has the status 200, a definite refusal one of five, and nothing else counts', () => {
  for (let status = 100; status < 600; status++) {
    const [value, refusal] = [{ entry }, { error: absent }].map(
      (body) => heard(reads.lookupAnsEntryByName, { name }, status, body).kind,
    )
    expect([status, value]).toEqual([status, status === 200 ? 'value' : 'fault'])
    const refuses = [400, 404, 409, 410, 422].includes(status)
    expect([status, refusal]).toEqual([status, refuses ? 'refusal' : 'fault'])
  }
})

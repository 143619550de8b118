import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PageToken, Question } from '../../src/core/reads/read.ts'
import { getAcsSnapshotAtV2 } from '../../src/core/reads/snapshots.ts'
import { PageTokens } from '../../src/core/scan/page-tokens.ts'

const dso = 'DSO::1220aa'
const asked = {
  migration_id: 0,
  page_size: 10,
  record_time: '2026-03-01T15:00:00Z',
  record_time_match: 'at_or_before',
}
const time = '2026-03-01T12:00:00Z'
const pages = new PageTokens('a secret')

function question(body: object = asked): Question {
  return { read: getAcsSnapshotAtV2, params: { body: JSON.stringify(body) } }
}

function withToken(after: string, body: object = asked): Question {
  return question({ ...body, after })
}

const tokensOf = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.oneof(fc.maxSafeNat(), fc.string({ maxLength: 400 })),
  { minKeys: 1, maxKeys: 40 },
)

function sealed(tokens: Readonly<Record<string, PageToken>>, by = pages): string {
  return by.seal(question(), dso, { time, tokens: new Map(Object.entries(tokens)) })
}

describe('a page token', () => {
  test('gives each super validator its own token back, for the time of the page and whatever size', () => {
    fc.assert(
      fc.property(tokensOf, fc.integer({ min: 1, max: 1000 }), (tokens, size) => {
        const token = sealed(tokens)
        const other = new PageTokens('a secret')
        expect(sealed(tokens, other)).toBe(token)
        const { page, params } = other.open(withToken(token, { ...asked, page_size: size }), dso)
        expect(Object.fromEntries(page?.tokens ?? [])).toEqual({ ...tokens })
        expect(page?.body).toEqual({ ...asked, page_size: size })
        expect(JSON.parse(params['body'] ?? '')).toEqual({
          ...asked,
          page_size: size,
          record_time: time,
          record_time_match: 'exact',
        })
      }),
    )
  })

  test('is bounded, whatever the scans send, and still opens', () => {
    const tokens = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, nth) => [`sv-${nth}`, 'ü'.repeat(1_024)]),
    )
    const token = sealed(tokens)
    expect(token.length).toBeLessThan(140_000)
    expect(pages.open(withToken(token), dso).page?.tokens.size).toBeGreaterThan(40)
  })

  test('is not asked of a question that has none', () => {
    const first = question()
    expect(pages.open(first, dso)).toBe(first)
  })
})

test('long tokens, which liars may give, push out no short ones', () => {
  const long = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`a${at}`, '\u0001'.repeat(1_024)]))
  const short = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`z${at}`, at]))
  const { page } = pages.open(withToken(sealed({ ...long, ...short })), dso)
  expect([...(page?.tokens.keys() ?? [])]).toEqual(expect.arrayContaining(Object.keys(short)))
})

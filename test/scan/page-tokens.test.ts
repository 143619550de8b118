import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpliceError } from '../../src/base/errors/splice.ts'
import type { PageToken, Question } from '../../src/core/reads/read.ts'
import { getAcsSnapshotAtV2, getHoldingsStateAtV2 } from '../../src/core/reads/snapshots.ts'
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

function question(body: object = asked, read: Question['read'] = getAcsSnapshotAtV2): Question {
  return { read, params: { body: JSON.stringify(body) } }
}

function withToken(after: string, body: object = asked, read?: Question['read']): Question {
  return question({ ...body, after }, read)
}

const tokensOf = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.oneof(fc.maxSafeNat(), fc.string({ maxLength: 400 })),
  { minKeys: 1, maxKeys: 40 },
)

function sealed(tokens: Readonly<Record<string, PageToken>>, by = pages): string {
  return by.seal(question(), dso, { time, tokens: new Map(Object.entries(tokens)) })
}

function isRefused(by: PageTokens, asking: Question, network = dso): boolean {
  try {
    by.open(asking, network)
    return false
  } catch (error) {
    expect(error).toBeInstanceOf(SpliceError)
    expect(error).toMatchObject({ code: 'unknownPageToken', status: 400 })
    return true
  }
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

  test('is refused if anything of it is changed', () => {
    fc.assert(
      fc.property(
        tokensOf,
        fc.nat(),
        fc.base64String({ minLength: 4, maxLength: 4 }),
        (tokens, place, put) => {
          const token = sealed(tokens)
          const at = place % token.length
          const letters = put.replaceAll('+', '-').replaceAll('/', '_')
          for (const altered of [
            `${token.slice(0, at)}${letters}${token.slice(at + 4)}`,
            `${token.slice(0, at)}${token.slice(at + 1)}`,
            token.slice(0, at),
            `${token}${letters}`,
          ])
            if (altered !== token && altered !== '') expect(isRefused(pages, withToken(altered))).toBe(true)
        },
      ),
    )
  })

  test('is refused of another secret, network, read or request', () => {
    const token = sealed({ 'sv-1': 7 })
    expect(isRefused(new PageTokens('another secret'), withToken(token))).toBe(true)
    expect(isRefused(new PageTokens(), withToken(token))).toBe(true)
    expect(isRefused(pages, withToken(token), 'DSO::1220bb')).toBe(true)
    expect(isRefused(pages, withToken(token, asked, getHoldingsStateAtV2))).toBe(true)
    expect(isRefused(pages, withToken(token, { ...asked, templates: ['a:b:c'] }))).toBe(true)
    expect(isRefused(pages, withToken(token, { ...asked, migration_id: 1 }))).toBe(true)
    expect(isRefused(pages, withToken(token))).toBe(false)
  })

  test('is refused if it is any other text, however long', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(isRefused(pages, withToken(text))).toBe(true)
      }),
    )
    expect(isRefused(pages, withToken('A'.repeat(1_048_576)))).toBe(true)
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

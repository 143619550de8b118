import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cacheKey, readOf, topic, topicsOf } from '../../src/core/cache/key.ts'

/**
 * Texts, empty ones too, with characters that encodings often get wrong: digits, colons, percent signs, NUL, lone
 * surrogates.
 */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('1', '2', ':', '%', '&', '=', '\0', '\ud800', '\udc00', 'é', '𐀀', 'a') }),
  fc.string({ unit: 'binary' }),
)
const params = fc.dictionary(text, text, { maxKeys: 4 })
const question = fc.record({ trust: text, read: text, params })

describe('a cache key', () => {
  test('is the same for two questions exactly when all of their parts are', () => {
    fc.assert(
      fc.property(question, question, (one, other) => {
        const same = canonical(one) === canonical(other)
        expect(keyOf(one) === keyOf(other)).toBe(same)
      }),
      { numRuns: 2_000 },
    )
  })

  test('tells apart questions that differ by one moved character', () => {
    fc.assert(
      fc.property(text, text, text, (one, other, third) => {
        const questions = [
          { trust: one + other, read: third, params: {} },
          { trust: one, read: other + third, params: {} },
          { trust: one, read: other, params: { [third]: '' } },
          { trust: one, read: other, params: { '': third } },
        ]
        const different = new Set(questions.map(canonical))
        expect(new Set(questions.map(keyOf)).size).toBe(different.size)
      }),
    )
  })

  test('does not depend on the order of params', () => {
    fc.assert(
      fc.property(question, ({ trust, read, params }) => {
        const reversed = Object.fromEntries(Object.entries(params).reverse())
        expect(cacheKey(trust, read, reversed)).toBe(cacheKey(trust, read, params))
      }),
    )
  })

  test('is reached by the topics of its question and its read, under every trust digest', () => {
    fc.assert(
      fc.property(question, ({ trust, read, params }) => {
        const key = cacheKey(trust, read, params)
        expect(topicsOf(key)).toEqual({ question: topic(read, params), read: topic(read) })
        expect(readOf(key)).toBe(read)
      }),
    )
  })
})

type Question = { trust: string; read: string; params: Readonly<Record<string, string>> }

function keyOf({ trust, read, params }: Question): string {
  return cacheKey(trust, read, params)
}

function canonical({ trust, read, params }: Question): string {
  const sorted = Object.keys(params).sort()
  return JSON.stringify([trust, read, sorted.map((name) => [name, params[name]])])
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ExactJson, exactJson } from '../../src/base/lib/canonical-json.ts'
import { readByToken } from '../../src/base/lib/parse-json-text.ts'

const byEngine = exactJson(JSON)
const byHand = exactJson({})

/** Numbers as other programs write them. A double would round most of them. */
const numbers = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
    fc.option(fc.stringMatching(/^\d{1,20}$/), { nil: undefined }),
    fc.option(fc.stringMatching(/^[eE][+-]?\d{1,3}$/), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) => {
    const decimals = fraction === undefined ? '' : `.${fraction}`
    return `${sign}${whole}${decimals}${exponent ?? ''}`
  })
const strings = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text))
const keys = fc.oneof(strings, fc.constantFrom('"__proto__"', '"rawJSON"', '"1"', '"a\\"b"', '"\\\\"'))
const space = fc.constantFrom('', '', ' ', '\n', '\t')
const { text: texts } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(numbers, strings, fc.constantFrom('true', 'false', 'null', '{}', '[ ]')),
    fc.tuple(fc.array(tie('text')), space).map(([items, blank]) => `[${items.join(`${blank},`)}${blank}]`),
    fc.tuple(fc.array(fc.tuple(keys, tie('text'))), space).map(([members, blank]) => {
      const printed = members.map(([key, member]) => `${key}${blank}:${blank}${member}`)
      return `{${blank}${printed.join(',')}}`
    }),
  ),
}))

function printed(json: ExactJson, text: string): string {
  return json.print(readByToken(text, (source) => kept(json, source)))
}

function kept(json: ExactJson, source: string): object | undefined {
  return Number.isSafeInteger(Number(source)) ? undefined : json.raw(source)
}

/** What the engine reads. It may take a key with an escape for another one (docs/decisions/0029). */
function printedByEngine(text: string): string {
  const read = (_: string, member: unknown, context: { readonly source?: string }) =>
    typeof member === 'number' ? (kept(byEngine, context.source ?? '') ?? member) : member
  return JSON.stringify(JSON.parse(text, read as Parameters<typeof JSON.parse>[1]))
}

test('a text is read with all digits as an engine reads it', () => {
  fc.assert(
    fc.property(
      texts.filter((text) => !text.includes('\\')),
      (text) => {
        expect(printed(byEngine, text)).toBe(printedByEngine(text))
      },
    ),
    { numRuns: 500 },
  )
})

describe('JSON without loss on an engine that has no raw JSON', () => {
  test('reads and prints every text as an engine that has it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(printed(byHand, text)).toBe(printed(byEngine, text))
      }),
      { numRuns: 500 },
    )
  })

  test('leaves out members that are undefined as an engine that has it', () => {
    const value = { a: 1, b: undefined, c: { d: undefined } }
    expect(byHand.print(value)).toBe(byEngine.print(value))
  })

  test('tells its own numbers from objects that only look like them', () => {
    const raw = byHand.raw('12e300')
    expect([raw, { rawJSON: '12e300' }, null, 'rawJSON', 1].map(byHand.isRaw)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
    expect(Object.isFrozen(raw)).toBe(true)
    expect(raw).toMatchObject({ rawJSON: '12e300' })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalJson,
  isJsonObject,
  type Json,
  MisshapenJson,
  parseJson,
} from '../../src/base/lib/canonical-json.ts'
import { seededRandom } from '../../src/base/lib/random.ts'

const canonical = (text: string | Uint8Array) => canonicalJson(parseJson(text))

/** Generates values that `JSON.stringify` can print, and that all JSON parsers read alike. */
const values = fc
  .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)

/** Returns one of the many texts of a value: keys in any order, spaces anywhere, some characters escaped. */
function spell(value: Json, seed: number): string {
  const random = seededRandom(seed)
  const space = () => [' ', '\n', '\t', '\r', '', '', ''][Math.floor(random() * 7)]
  const text = (plain: string) =>
    `"${[...plain].map((character) => (random() < 0.3 ? escaped(character) : JSON.stringify(character).slice(1, -1))).join('')}"`
  const print = (part: Json): string => {
    if (typeof part === 'string') return `${space()}${text(part)}${space()}`
    if (Array.isArray(part)) return `${space()}[${part.map(print).join(',')}${space()}]`
    if (typeof part !== 'object' || part === null) return `${space()}${JSON.stringify(part)}${space()}`
    const members = Object.entries(part as Record<string, Json>).sort(() => random() - 0.5)
    return `{${members.map(([key, member]) => `${space()}${text(key)}${space()}:${print(member)}`).join(',')}${space()}}`
  }
  return print(value)
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    const code = character.charCodeAt(at).toString(16).padStart(4, '0')
    return `\\u${at % 2 === 0 ? code : code.toUpperCase()}`
  }).join('')
}

test('a number that a double holds is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = JSON.stringify(value)
      expect(parseJson(text)).toEqual(JSON.parse(text))
      expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

test('equal values have one text, however they were spelt', () => {
  fc.assert(
    fc.property(values, fc.nat(), fc.nat(), (value, one, other) => {
      expect(canonical(spell(value, one))).toBe(canonical(spell(value, other)))
      expect(JSON.parse(canonical(spell(value, one)))).toEqual(value)
    }),
    { numRuns: 500 },
  )
})

test('different values have different texts', () => {
  fc.assert(
    fc.property(values, values, (one, other) => {
      const equal = canonical(spell(one, 1)) === canonical(spell(other, 2))
      let same = true
      try {
        expect(one).toEqual(other)
      } catch {
        same = false
      }
      expect(equal).toBe(same)
    }),
    { numRuns: 500 },
  )
})

test('a canonical text is its own canonical text', () => {
  fc.assert(
    fc.property(values, fc.nat(), (value, seed) => {
      const text = canonical(spell(value, seed))
      expect(canonical(text)).toBe(text)
    }),
  )
  for (const text of ['1e400', '9007199254740993e0', '-1205e-400']) expect(canonical(text)).toBe(text)
})

describe('numbers', () => {
  /**
   * A decimal is a sign, digits and an exponent. A `spelling` chooses one of the texts that can stand for a decimal.
   */
  const decimals = fc.record({
    negative: fc.boolean(),
    digits: fc.oneof(
      fc.bigInt(0n, 999n),
      fc.bigInt(0n, 10n ** 20n),
      fc.bigInt(9007199254740990n, 9007199254740999n),
    ),
    exponent: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -420, max: 420 })),
  })
  type Decimal = typeof decimals extends fc.Arbitrary<infer T> ? T : never
  const spelling = fc.record({
    zeros: fc.nat({ max: 3 }),
    point: fc.nat({ max: 25 }),
    mark: fc.constantFrom('e', 'E', 'e+'),
  })

  function spelt(
    { negative, digits, exponent }: Decimal,
    style: { zeros: number; point: number; mark: string },
  ): string {
    const all = digits === 0n ? '0' : `${digits}${'0'.repeat(style.zeros)}`
    const decimalPlaces = Math.min(style.point, all.length - 1)
    const whole = all.slice(0, all.length - decimalPlaces)
    const fraction = decimalPlaces === 0 ? '' : `.${all.slice(all.length - decimalPlaces)}`
    const power = exponent - style.zeros + decimalPlaces
    const suffix =
      power === 0 && style.mark === 'e' ? '' : `${power < 0 ? style.mark[0] : style.mark}${power}`
    return `${negative ? '-' : ''}${whole}${fraction}${suffix}`
  }

  const scaled = ({ negative, digits, exponent }: Decimal) =>
    (negative ? -digits : digits) * 10n ** BigInt(exponent + 420)

  test('two numbers have one text exactly when they are equal', () => {
    const near = fc
      .tuple(decimals, fc.bigInt(-1n, 1n), fc.integer({ min: -1, max: 1 }))
      .map(([one, step, shift]) => {
        const digits = shift === -1 ? one.digits * 10n + step : one.digits + step
        return [
          one,
          { ...one, digits: digits < 0n ? 0n : digits, exponent: one.exponent + (shift === -1 ? -1 : 0) },
        ] as const
      })
    fc.assert(
      fc.property(
        near.filter(([, other]) => other.exponent >= -420),
        spelling,
        spelling,
        ([one, other], a, b) => {
          expect(canonical(spelt(one, a)) === canonical(spelt(other, b))).toBe(scaled(one) === scaled(other))
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('every double is read as a number, and prints as JSON.stringify prints it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        expect(parseJson(JSON.stringify(double))).toBe(double === 0 ? 0 : double)
        expect(canonical(JSON.stringify(double))).toBe(JSON.stringify(double))
      }),
      { numRuns: 1000 },
    )
  })

  test('a number that a double would round stands for itself and is no object', () => {
    const value = parseJson('{"a":9007199254740993}') as { a: Json }
    expect(isJsonObject(value.a)).toBe(false)
    expect(isJsonObject(value)).toBe(true)
    expect(isJsonObject([])).toBe(false)
    expect(isJsonObject(null)).toBe(false)
    expect(JSON.stringify(value)).toBe('{"a":9007199254740993e0}')
  })
})

describe('repeated keys', () => {
  test('a key that is repeated anywhere is misshapen, in whatever spelling', () => {
    const keys = fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'toString', '', '0', 'a'),
      fc.string({ unit: 'grapheme' }),
    )
    fc.assert(
      fc.property(keys, values, values, fc.nat({ max: 20 }), (key, one, other, depth) => {
        const plain = JSON.stringify(key)
        const inner = `{${plain}:${JSON.stringify(one)},"${[...key].map(escaped).join('')}":${JSON.stringify(other)}}`
        const text = '{"x":['.repeat(depth) + inner + ']}'.repeat(depth)
        expect(() => parseJson(text)).toThrow(MisshapenJson)
      }),
    )
  })

  test('a key __proto__ is kept, and changes no prototype', () => {
    const value = parseJson('{"__proto__":{"polluted":1},"b":2}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(canonicalJson(value)).toBe('{"__proto__":{"polluted":1},"b":2}')
  })
})

test('a lone surrogate is misshapen in a text, in a key, escaped or raw', () => {
  const lone = fc.oneof(fc.integer({ min: 0xd800, max: 0xdbff }), fc.integer({ min: 0xdc00, max: 0xdfff }))
  fc.assert(
    fc.property(lone, fc.string(), fc.string(), fc.boolean(), (code, before, after, isKey) => {
      const plain = JSON.stringify(`${before}|${after}`)
      const at = (surrogate: string) => plain.replace('|', () => surrogate)
      for (const text of [at(`\\u${code.toString(16)}`), at(String.fromCharCode(code))]) {
        expect(() => parseJson(isKey ? `{${text}:1}` : `[${text}]`)).toThrow(MisshapenJson)
      }
    }),
  )
})

test('64 levels are read, 65 are not, and the bound can be chosen', () => {
  const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(canonical(lists(64))).toBe(lists(64))
  expect(() => parseJson(lists(65))).toThrow('more than 64 levels')
  expect(() => parseJson(lists(3), { maxDepth: 2 })).toThrow('more than 2 levels')
  expect(canonical(`[${JSON.stringify(lists(100))}]`)).toBe(`[${JSON.stringify(lists(100))}]`)
})

test('a text never has more elements and members than are counted, and strings do not count', () => {
  const elements = (value: Json): number =>
    typeof value !== 'object' || value === null
      ? 0
      : Object.values(value).reduce((sum: number, member) => sum + 1 + elements(member as Json), 0)
  fc.assert(
    fc.property(values, fc.nat(), (value, seed) => {
      const text = spell(value, seed)
      const count = elements(value)
      if (count > 0)
        expect(() => parseJson(text, { maxElements: Math.floor((count - 1) / 2) })).toThrow(/elements/)
      expect(parseJson(text, { maxElements: 2 * count + 1 })).toEqual(value)
    }),
  )
})

test('too many elements are found before anything is made of them', () => {
  const heap = () => process.memoryUsage().heapUsed
  const text = Buffer.from(`[${'{},'.repeat(1_000_000)}{}]`).toString('latin1')
  const before = heap()
  expect(() => parseJson(text, { maxElements: 1_000 })).toThrow('more than 1000 elements')
  expect(heap() - before).toBeLessThan(text.length)
})

test('where elements are counted, one list or object has at most 65,536 of them', () => {
  const limits = { maxElements: 1_000_000 }
  const list = (count: number) => `[[${'0,'.repeat(count - 1)}0]]`
  const object = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`)}}`
  for (const of of [list, object]) {
    expect(() => parseJson(of(65_536), limits)).not.toThrow()
    expect(() => parseJson(of(65_537), limits)).toThrow('65536 in one')
    expect(() => parseJson(of(65_537))).not.toThrow()
  }
  expect(() => parseJson(`[${list(40_000)},${list(40_000)}]`, limits)).not.toThrow()
})

describe('any bytes', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc
      .string({ unit: fc.constantFrom(...'{}[]":,\\u0123456789eE+-.truefalsn \n\ud83d\ude00') })
      .map((text) => Buffer.from(text)),
    fc.tuple(values, fc.nat(), fc.nat(), fc.nat({ max: 255 })).map(([value, seed, at, byte]) => {
      const body = Buffer.from(spell(value, seed))
      body[at % body.length] = byte
      return body
    }),
    fc.tuple(values, fc.nat(), fc.nat()).map(([value, seed, at]) => {
      const body = Buffer.from(spell(value, seed))
      return body.subarray(0, at % (body.length + 1))
    }),
  )

  test('give a value or MisshapenJson, and no value that JSON.parse does not give', () => {
    fc.assert(
      fc.property(anything, (body) => {
        const value = attempt(() => parseJson(body))
        const decoded = attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
        // RFC 8785 writes -0 as 0, so the test treats -0 and 0 as equal.
        const zero = (_key: string, value: unknown) => (value === 0 ? 0 : value)
        const parsed = 'value' in decoded ? attempt(() => JSON.parse(decoded.value, zero) as Json) : decoded
        if ('error' in value) expect(value.error).toBeInstanceOf(MisshapenJson)
        if ('error' in parsed) expect(value).toHaveProperty('error')
        if ('value' in value && 'value' in parsed)
          expect(JSON.parse(canonicalJson(value.value), zero)).toEqual(parsed.value)
      }),
      { numRuns: 5000 },
    )
  })

  function attempt<T>(run: () => T): { value: T } | { error: unknown } {
    try {
      return { value: run() }
    } catch (error) {
      return { error }
    }
  }

  test('tell what is no JSON from JSON that is misshapen', () => {
    const isJson = (text: string | Uint8Array) => {
      try {
        parseJson(text)
      } catch (error) {
        return (error as MisshapenJson).isJson
      }
      return 'a value'
    }
    expect(isJson('<html>')).toBe(false)
    expect(isJson(Buffer.from([0x22, 0xff, 0x22]))).toBe(false)
    expect(isJson('{"a":1,"a":1}')).toBe(true)
    expect(isJson('["\\ud800"]')).toBe(true)
    expect(isJson('[1e1234567890123456]')).toBe(true)
    expect(isJson('{}')).toBe('a value')
  })
})

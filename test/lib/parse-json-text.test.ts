import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, parseJson } from '../../src/base/lib/canonical-json.ts'
import { parseJsonText } from '../../src/base/lib/parse-json-text.ts'

/** Short keys of few characters, so that many are the beginning of the escaped form of another. */
const keys = fc.string({
  unit: fc.constantFrom('\\', 'u', '0', '6', '1', 'n', '"', '\n', '\u0000', 'a'),
  maxLength: 4,
})
const objects = fc.array(fc.dictionary(keys, fc.constantFrom(0, '', null), { maxKeys: 4 }), { maxLength: 4 })

/** Prints a list of objects. Some characters of keys are escaped although they need not be. */
function printed(list: readonly object[], escaped: RegExp): string {
  const key = (text: string) =>
    JSON.stringify(text).replace(
      escaped,
      (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  return `[${list
    .map((members) => {
      const pairs = Object.entries(members).map(
        ([name, member]) => `${key(name)} : ${JSON.stringify(member)}`,
      )
      return `{${pairs.join(',')}}`
    })
    .join(',')}]`
}

describe('a key with an escape', () => {
  test('is read as it is, and not as a key of an object that was read before', () => {
    parseJsonText('{"a":0,"\\\\":0}')
    expect(parseJsonText('{"a":0,"\\"":0}')).toEqual({ a: 0, '"': 0 })
    parseJsonText('{"k":0,"\\\\u0":0}')
    expect(canonicalJson(parseJson('{"k":0,"\\u0061bc":12e400}'))).toBe('{"abc":12e400,"k":0}')
  })

  test('is read right whatever objects were read before', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(/a/g, /[a1]/g, /$^/g), (list, escaped) => {
        const text = printed(list, escaped)
        expect(parseJsonText(text)).toEqual(list.map((members) => ({ ...members })))
        expect(parseJson(text)).toEqual(parseJsonText(text))
      }),
      { numRuns: 3_000 },
    )
  })
})

test('a text that is no JSON is a SyntaxError, with escaped keys and without', () => {
  for (const text of ['{"\\n":', '{', '{"a":1}}', `${'{"\\n":'.repeat(2_000)}0${'}'.repeat(2_000)}`])
    expect(() => parseJsonText(text)).toThrow(SyntaxError)
})

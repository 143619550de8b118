import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { descriptionProblem, nameProblem, unusableName, urlProblem } from '../../src/registry/names/name.ts'

const chosen = fc.stringMatching(/^[a-z0-9_-]{1,45}$/)

describe('a name', () => {
  test('is fine exactly where the rule of the super validators says so', () => {
    const near = fc.oneof(chosen, fc.string({ maxLength: 50 }), fc.string({ unit: 'binary', maxLength: 4 }))
    const end = fc.constantFrom('.unverified.cns', '.unverified.ans', '.cns', '', '.unverified.cns\n')
    const rule = /^[a-z0-9_-]{1,45}\.unverified\.cns$/
    fc.assert(
      fc.property(near, end, (text, suffix) => {
        const name = text + suffix
        return (nameProblem(name, 'cns') === undefined) === (rule.test(name) && !name.endsWith('\n'))
      }),
    )
  })

  test('has room for less where the acronym is longer', () => {
    expect(nameProblem(`${'a'.repeat(42)}.unverified.splice`, 'splice')).toBeUndefined()
    expect(nameProblem(`${'a'.repeat(43)}.unverified.splice`, 'splice')).toBe(
      'The name has more than 42 characters before .unverified.splice.',
    )
  })

  test.each([
    ['', 'The name has to end in .unverified.cns.'],
    ['alice', 'The name has to end in .unverified.cns.'],
    ['alice.unverified.ans', 'The name has to end in .unverified.cns.'],
    ['alice.unverifiedxcns', 'The name has to end in .unverified.cns.'],
    ['alice.unverified.cns.', 'The name has to end in .unverified.cns.'],
    ['.unverified.cns', 'The name has nothing before .unverified.cns.'],
    [`${'a'.repeat(46)}.unverified.cns`, 'The name has more than 45 characters before .unverified.cns.'],
    [
      'Alice.unverified.cns',
      'Before .unverified.cns the name may have only a to z, 0 to 9, _ and -, but it has "A".',
    ],
    [
      'a.b.unverified.cns',
      'Before .unverified.cns the name may have only a to z, 0 to 9, _ and -, but it has ".".',
    ],
    [
      '蓮.unverified.cns',
      'Before .unverified.cns the name may have only a to z, 0 to 9, _ and -, but it has "蓮".',
    ],
    [
      'a b.unverified.cns',
      'Before .unverified.cns the name may have only a to z, 0 to 9, _ and -, but it has a space.',
    ],
  ])('%j is none: %s', (name, why) => {
    expect(nameProblem(name, 'cns')).toBe(why)
  })
})

describe('a url', () => {
  test.each([
    '',
    'https://alice.example',
    'HTTP://alice.example/a?b#c',
    'https://[::1]:8080/',
    'https://蓮.example/%e8',
  ])('may be %j', (url) => expect(urlProblem(url)).toBeUndefined())

  test.each([
    ['alice.example', 'The url does not begin with http:// or https://.'],
    ['ftp://alice.example', 'The url does not begin with http:// or https://.'],
    ['javascript:alert(1)', 'The url does not begin with http:// or https://.'],
    ['https:alice.example', 'The url names no host.'],
    ['https://', 'The url names no host.'],
    ['https:///path', 'The url names no host.'],
    ['https://a.example:99999', 'The url names no host.'],
    ['https://a.example/a b', 'The url has a space, which no URI may have.'],
    ['https://a.example/<', 'The url has "<", which no URI may have.'],
    ['https://a.example/\0', 'The url has the character U+0000, which no URI may have.'],
    ['https://a.example/%zz', 'The url has a % that two hex digits do not follow.'],
    [`https://a.example/${'a'.repeat(238)}`, 'The url has more than 255 characters.'],
  ])('%j is none: %s', (url, why) => expect(urlProblem(url)).toBe(why))

  test('of 255 characters is fine', () => {
    expect(urlProblem(`https://a.example/${'a'.repeat(237)}`)).toBeUndefined()
  })
})

test('a description has at most 140 UTF-16 code units', () => {
  expect(descriptionProblem('🪷'.repeat(70))).toBeUndefined()
  expect(descriptionProblem(`${'🪷'.repeat(70)}.`)).toBe('The description has more than 140 characters.')
  expect(descriptionProblem('a\0b')).toBe('The description has the character U+0000, which no text may have.')
})

describe('A name that is looked up', () => {
  test('may be one that nobody registers', () => {
    for (const name of ['dso.cns', 'sv-1.sv.cns', 'Any Name.sv.cns', 'alice.unverified.cns', 'alice'])
      expect(unusableName(name), name).toBeUndefined()
  })

  test('is refused with the sentence of registration where no entry can have it', () => {
    expect(unusableName('Hello World!!')).toBe(
      'Between its dots the name may have only a to z, 0 to 9, _ and -, but it has "H", a space, "W", "!".',
    )
    for (const name of ['.', '..', 'alice.', '.alice', 'a..b', '.sv.cns'])
      expect(unusableName(name), name).toBe('The name has a dot with nothing before or after it.')
    expect(unusableName('a b.unverified.cns')).toBe(nameProblem('a b.unverified.cns', 'cns'))
  })
})

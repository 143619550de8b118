import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { anchorsOf, proseOf } from './markdown.ts'

const book = proseOf('docs/quorum.md')
const [, rules = ''] = book.split('## The rules\n')
const [ruleBook = ''] = rules.split('## How old an answer can be')
const anchors = anchorsOf(book)

const files = globSync(
  ['*.{ts,md,json,yaml}', '{.ci,bench,config,dashboards,deploy,docs,src,test}/**/*.{ts,js,md,yaml,json}'],
  { cwd: top, exclude: ['docs/openapi.json', 'package-lock.json', 'test/docs/rule-book.test.ts'] },
)

function mistakesIn(text: string): readonly string[] {
  const unwrapped = text.replaceAll(/\n\s*(?:\*|\/\/)? */g, ' ')
  const named = [...unwrapped.matchAll(/quorum\.md#([\w-]*)/g)].flatMap(([, anchor = '']) =>
    anchors.has(anchor) ? [] : [`docs/quorum.md has no rule "${anchor}"`],
  )
  const numbered = [...unwrapped.matchAll(/quorum\.md(?:`|\)|,)* (?:rule )?\d+/g)].map(
    ([found]) => `"${found}" refers to a rule by number: use its heading, such as quorum.md#one-vote-each`,
  )
  return [...named, ...numbered]
}

test('every reference to the rule book names a rule that exists', () => {
  const mistakes = files.flatMap((file) =>
    mistakesIn(readFileSync(join(top, file), 'utf8')).map((mistake) => `${file}: ${mistake}`),
  )
  expect(mistakes).toEqual([])
})

test('the code names the rule that it keeps, and not the whole page', () => {
  const vague = files.filter(
    (file) => file.startsWith('src/') && /quorum\.md(?!#)/.test(readFileSync(join(top, file), 'utf8')),
  )
  expect(vague.filter((file) => file.endsWith('.ts'))).toEqual([])
})

test('every rule has a name of at most six words', () => {
  const names = [...ruleBook.matchAll(/^### (.+)$/gm)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => name.split(' ').length > 6)).toEqual([])
})

test('no page and no code refers to a file outside of the repository', () => {
  const outside = /\.\.\/shared\/(?!specs)|\b(?:contract|house-style|plain-english)\.md\b|\bfacts\/\w/
  const referring = files.filter((file) => outside.test(readFileSync(join(top, file), 'utf8')))
  expect(referring).toEqual([])
})

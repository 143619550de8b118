import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { wordsOfDocs } from '../../.ci/weight.ts'
import { top } from '../arch/sources.ts'
import { anchorsOf, linksOf, proseOf } from './markdown.ts'

const pages = globSync(['*.md', '{docs,src,bench}/**/*.md'], { cwd: top })

describe.each(pages)('%s', (page) => {
  const links = linksOf(proseOf(page)).map((link) => {
    const [path = '', anchor] = link.split('#')
    return { link, path: path === '' ? page : posix.join(dirname(page), path), anchor }
  })

  test('every link leads somewhere', () => {
    expect(links.filter(({ path }) => !existsSync(join(top, path)))).toEqual([])
  })

  test('every anchor of a link is a chapter there', () => {
    const anchored = links.filter(({ path, anchor }) => anchor !== undefined && path.endsWith('.md'))
    expect(anchored.filter(({ path, anchor }) => !anchorsOf(proseOf(path)).has(`${anchor}`))).toEqual([])
  })
})

test('every chapter that code, alerts and manifests name is there', () => {
  const files = globSync('{src,dashboards,deploy}/**/*.{ts,yaml}', { cwd: top })
  const named = files.flatMap((file) => [
    ...readFileSync(join(top, file), 'utf8').matchAll(/(docs\/[\w/-]+\.md)#([\w-]+)/g),
  ])
  expect(named.length).toBeGreaterThan(50)
  const missing = named.filter(([, page = '', anchor = '']) => !anchorsOf(proseOf(page)).has(anchor))
  expect(missing.map(([address]) => address)).toEqual([])
})

test('the four pages for operators have at most 3,700 words', () => {
  const pages = ['operating', 'watching', 'incidents', 'capacity'].map((page) => `docs/${page}.md`)
  const words = pages.flatMap((page) => readFileSync(join(top, page), 'utf8').split(/\s+/).filter(Boolean))
  expect(words.length).toBeLessThanOrEqual(3700)
})

test('the two shelves list every page of docs/ in ten lines each, and the README leads to both', () => {
  const shelves = ['docs', 'docs/build'].map((folder) => {
    const text = proseOf(`${folder}/README.md`)
    expect(text.match(/^\| \[/gm)).toHaveLength(10)
    return linksOf(text).map((link) => posix.join(folder, link))
  })
  const pages = globSync(['docs/*.md', 'docs/build/*.md'], { cwd: top }).toSorted()
  expect([...new Set(shelves.flat().filter((link) => pages.includes(link)))].sort()).toEqual(
    pages.filter((page) => page !== 'docs/README.md'),
  )
  expect(linksOf(proseOf('README.md'))).toEqual(
    expect.arrayContaining(['docs/README.md', 'docs/build/README.md']),
  )
})

test('at most eight pictures are kept, and each is on a page', () => {
  const pictures = globSync('docs/screenshots/*', { cwd: top })
  const shown = pages.flatMap((page) => linksOf(proseOf(page)).map((link) => posix.join(dirname(page), link)))
  expect(pictures.length).toBeLessThanOrEqual(8)
  expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([])
})

test('the documents have at most 40,000 words, those for users 12,000 without the generated tables', () => {
  const { all, forUsers } = wordsOfDocs()
  expect(all).toBeLessThanOrEqual(40_000)
  expect(forUsers).toBeLessThanOrEqual(12_000)
})

test('the README has at most 700 words and 150 lines, the changelog 120 lines', () => {
  const [readme = '', changelog = ''] = ['README.md', 'CHANGELOG.md'].map((page) =>
    readFileSync(join(top, page), 'utf8'),
  )
  expect(readme.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(700)
  expect(readme.split('\n').length).toBeLessThan(150)
  expect(changelog.split('\n').length).toBeLessThanOrEqual(120)
})

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
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
    ...readFileSync(join(top, file), 'utf8').matchAll(/(docs\/[\w-]+\.md)#([\w-]+)/g),
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

test('the README lists every page of docs/', () => {
  const listed = linksOf(proseOf('README.md'))
  expect(globSync('docs/*.md', { cwd: top }).filter((page) => !listed.includes(page))).toEqual([])
})

test('the README stays under 150 lines', () => {
  expect(readFileSync(join(top, 'README.md'), 'utf8').split('\n').length).toBeLessThan(150)
})

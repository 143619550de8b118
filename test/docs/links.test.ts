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

test('the README lists every page of docs/', () => {
  const listed = linksOf(proseOf('README.md'))
  expect(globSync('docs/*.md', { cwd: top }).filter((page) => !listed.includes(page))).toEqual([])
})

test('the README stays under 150 lines', () => {
  expect(readFileSync(join(top, 'README.md'), 'utf8').split('\n').length).toBeLessThan(150)
})

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { rules } from '../../src/core/quorum/rules.ts'
import { top } from '../arch/sources.ts'

const page = readFileSync(join(top, 'docs/build/architecture.md'), 'utf8')

test('every wing, room and file that the page names exists', () => {
  const named = [...page.matchAll(/`([\w./-]+(?:\.ts|\.js|\/))`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(40)
  const missing = named.filter(
    (path) =>
      !['', 'src', ...globSync('src/*', { cwd: top })].some((folder) => existsSync(join(top, folder, path))),
  )
  expect(missing.filter((path) => !path.startsWith('thing.'))).toEqual([])
})

test.each(globSync('src/{*,core/*,registry/*,server/*}/README.md', { cwd: top }))(
  '%s is short, has one drawing, and names files that exist',
  (path) => {
    const text = readFileSync(join(top, path), 'utf8')
    expect(text.split('\n').length).toBeLessThanOrEqual(45)
    expect([...text.matchAll(/^```mermaid$/gm)]).toHaveLength(1)
    const named = [...text.matchAll(/(?<![\w./-])(?:\.\.\/)?(?:[\w-]+\/)*[\w.-]+\.ts\b/g)].map(
      ([file]) => file,
    )
    expect(named.length).toBeGreaterThan(5)
    const missing = named.filter(
      (file) => ![dirname(path), '.'].some((from) => existsSync(join(top, from, file))),
    )
    expect(missing.filter((file) => !file.startsWith('.ci/'))).toEqual([])
  },
)

test('every path that CONTRIBUTING.md names exists, and every script of npm', () => {
  const text = readFileSync(join(top, 'CONTRIBUTING.md'), 'utf8')
  const paths = [...text.matchAll(/(?<![\w./-])(?:src|test|bench|docs|dashboards|\.ci)\/[\w./-]*\w/g)].map(
    ([path]) => path,
  )
  expect(paths.length).toBeGreaterThan(25)
  expect(paths.filter((path) => !existsSync(join(top, path)))).toEqual([])
  const { scripts } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script)
  expect(named.filter((script) => !(script in scripts))).toEqual([])
})

test('the rules that quorum.md quotes are the ones in the code, in the same order', () => {
  const text = readFileSync(join(top, 'docs/quorum.md'), 'utf8').replaceAll(/\n {3}/g, ' ')
  const [, section = ''] = text.split('## How it is decided')
  const quotes = [...section.matchAll(/^\d+\. \*([^*]+?)\.?\*/gm)].map(([, rule = '']) => rule.toLowerCase())
  const names = rules.map(({ name }) => name.toLowerCase())
  expect(quotes.length).toBeGreaterThan(6)
  expect(quotes).toEqual(names.filter((name) => quotes.includes(name)))
})

test('every step of the four journeys is a function that its file has', () => {
  const [, journeys = ''] = page.split('## Four journeys')
  const [section = ''] = journeys.split('\n## ')
  const steps = [...section.matchAll(/^\| \d+ \| `([^`]+)` \| `([^`]+)` \|/gm)]
  expect(section.match(/^### /gm)?.length).toBe(4)
  expect(steps.length).toBeGreaterThan(25)
  const missing = steps.filter(([, file = '', name = '']) => {
    const declaration = new RegExp(
      String.raw`(?:function\*? |^ +(?:static )?(?:async )?\*?)${name}(?:<.*>)?\(`,
      'm',
    )
    return !declaration.test(readFileSync(join(top, 'src', file), 'utf8'))
  })
  expect(missing.map(([, file, name]) => `${file} has no ${name}`)).toEqual([])
})

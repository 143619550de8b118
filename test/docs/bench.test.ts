import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rows } from '../../bench/rows.ts'
import { top } from '../arch/sources.ts'

const page = readFileSync(join(top, 'bench/README.md'), 'utf8')

test('the page about the benchmarks lists every row with its limit, in order', () => {
  const [, table = ''] = page.split('| row | figure | limit |\n| --- | --- | --- |\n')
  const told = (table.split('\n\n')[0] ?? '').split('\n').map((row) => {
    const [, id = '', , limit = ''] = row.split('|').map((cell) => cell.trim())
    return [id.replaceAll('`', ''), limit]
  })
  expect(told).toEqual(rows.map(({ id, limit }) => [id, limit === undefined ? '' : asText(limit)]))
})

test('every file that the page names exists', () => {
  const named = [...page.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.ts)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((path) => !existsSync(join(top, 'src', path)))).toEqual([])
})

function asText(limit: { readonly atLeast: number } | { readonly atMost: number }): string {
  return 'atLeast' in limit ? `at least ${limit.atLeast}` : `at most ${limit.atMost}`
}

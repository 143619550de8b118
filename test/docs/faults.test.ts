import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeFaultKinds, prepareFaults } from '../../src/localnet/faults.ts'
import { top } from '../arch/sources.ts'
import { proseOf } from './markdown.ts'

const pages = globSync(['*.md', '{docs,src}/**/*.md'], { cwd: top })

test('the faults that the documents set on the localnet are faults that it accepts', () => {
  const lines = pages.flatMap((page) => readFileSync(join(top, page), 'utf8').split('\n'))
  const shown = lines
    .filter((line) => line.includes('fault'))
    .flatMap((line) => line.match(/\{"kind":[^{}]+\}/g) ?? [])
  expect(shown.length).toBeGreaterThan(8)
  for (const fault of shown) expect(() => prepareFaults(JSON.parse(fault)), fault).not.toThrow()
})

test('the tutorial names faults of the localnet by their kinds', () => {
  const [, list = ''] = proseOf('docs/tutorial.md').split('localhost:9500/faults` lists all faults')
  const [sentence = ''] = list.split('.')
  const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, kind = '']) => kind)
  expect(named.length).toBeGreaterThan(2)
  expect(nodeFaultKinds).toEqual(expect.arrayContaining(named))
})

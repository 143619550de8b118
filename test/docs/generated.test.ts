import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dashboardFiles } from '../../.ci/generate-dashboards.ts'
import { errorsPage } from '../../.ci/generate-errors.ts'
import { openApiFile } from '../../.ci/generate-openapi.ts'
import { readsPage } from '../../.ci/generate-reads.ts'
import { verifierFile } from '../../.ci/generate-verifier.ts'
import { cantonErrors, plainErrors } from '../../src/errors/canton.ts'
import { spliceErrors } from '../../src/errors/splice.ts'
import { nodeSpecific } from '../../src/reads/node-specific.ts'
import type { Read } from '../../src/reads/read.ts'
import { reads } from '../../src/reads/table.ts'
import { sources, top } from '../arch/sources.ts'

const files = {
  'docs/errors.md': errorsPage(),
  'docs/reads.md': readsPage(),
  'docs/openapi.json': await openApiFile(),
  'src/ui/assets/verifier.min.js': await verifierFile(),
  ...dashboardFiles(),
}

test.each(Object.entries(files))('%s is as it follows from the code (npm run generate)', (path, text) => {
  expect(readFileSync(join(top, path), 'utf8')).toBe(text)
})

test('the page of reads has a chapter for every row, with its paths and texts', () => {
  const [page = '', ...notes] = readsPage().split(/^(?=\[\^\d+\]: )/m)
  const expanded = page.replaceAll(/\[\^(\d+)\]/g, (_, number) => notes[number - 1] ?? '')
  const chapters = expanded.split('\n## ').slice(1)
  expect(chapters.map((chapter) => chapter.split('\n')[0])).toEqual([
    ...Object.keys(reads).map((id) => `\`${id}\``),
    'Not served',
  ])
  for (const { id, why, instead } of nodeSpecific)
    for (const text of [id, why, instead]) expect(chapters.at(-1)).toContain(text)
  for (const [index, { base = '/api/scan', scanPath, proxy, absent }] of Object.values<Read>(reads).entries())
    for (const text of [`${base}${scanPath}`, proxy?.path ?? '', proxy?.absent ?? '', ...absent])
      expect(chapters[index]).toContain(text)
})

test('the page of errors has a line for every row', () => {
  const page = errorsPage()
  for (const { status, text } of Object.values(spliceErrors))
    expect(page).toMatch(
      new RegExp(`^\\| ${status} .*${RegExp.escape(text.split('\n')[0] ?? '')}.* \\|$`, 'm'),
    )
})

test('the page of errors has a line for every error of the JSON Ledger API', () => {
  const page = errorsPage()
  for (const { status, code, meaning } of Object.values(cantonErrors))
    expect(page).toMatch(
      new RegExp(`^\\| ${status} .${code}.\\*? \\| .*${RegExp.escape(meaning)}.* \\|$`, 'm'),
    )
  for (const { status, meaning } of Object.values(plainErrors))
    expect(page).toMatch(new RegExp(`^\\| ${status} \\| .*${RegExp.escape(meaning)} \\|$`, 'm'))
})

test('every error in the tables can be answered', () => {
  const code = sources.filter(({ path }) => !path.startsWith('errors/')).map((source) => source.code)
  const kinds = [spliceErrors, cantonErrors, plainErrors].flatMap((table) => Object.keys(table))
  const unused = kinds.filter(
    (name) => !code.some((text) => text.includes(`'${name}'`) || text.includes(`spliceErrors.${name}`)),
  )
  expect(unused).toEqual([])
})

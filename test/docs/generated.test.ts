import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLinePage } from '../../.ci/generate-command-line.ts'
import { dashboardFiles } from '../../.ci/generate-dashboards.ts'
import { errorsPage } from '../../.ci/generate-errors.ts'
import { metricsPage } from '../../.ci/generate-metrics.ts'
import { openApiFile } from '../../.ci/generate-openapi.ts'
import { readsPage, votesPage } from '../../.ci/generate-reads.ts'
import { verifierFile } from '../../.ci/generate-verifier.ts'
import { cantonErrors, plainErrors } from '../../src/base/errors/canton.ts'
import { spliceErrors } from '../../src/base/errors/splice.ts'
import { sources, top } from '../arch/sources.ts'

const files = {
  'docs/command-line.md': commandLinePage(),
  'docs/errors.md': errorsPage(),
  'docs/build/votes.md': votesPage(),
  'docs/metrics.md': metricsPage(),
  'docs/reads.md': readsPage(),
  'docs/openapi.json': await openApiFile(),
  'src/server/ui/assets/verifier.min.js': await verifierFile(),
  ...dashboardFiles(),
}

test.each(Object.entries(files))('%s is as it follows from the code (npm run generate)', (path, text) => {
  expect(readFileSync(join(top, path), 'utf8')).toBe(text)
})

test('every error in the tables can be answered', () => {
  const code = sources.filter(({ path }) => !path.startsWith('base/errors/')).map((source) => source.code)
  const kinds = [spliceErrors, cantonErrors, plainErrors].flatMap((table) => Object.keys(table))
  const unused = kinds.filter(
    (name) => !code.some((text) => text.includes(`'${name}'`) || text.includes(`spliceErrors.${name}`)),
  )
  expect(unused).toEqual([])
})

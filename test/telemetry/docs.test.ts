import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { labelValues } from '../../src/base/telemetry/label-values.ts'
import { catalogue } from '../../src/base/telemetry/metric-catalogue.ts'

const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8')

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)

test('every value of a closed label is in docs/metrics.md', () => {
  const sets = Object.values(catalogue).flatMap(({ labels }) =>
    Object.values<string | readonly string[]>(labels),
  )
  const words = sets.filter((set) => typeof set !== 'string').flat()
  const statuses = /^\d{3}$/
  const missing = [...words, ...labelValues.ask].filter(
    (word) => !statuses.test(word) && !page.includes(`\`${word}\``),
  )
  expect(missing).toEqual([])
})

test("the table of Splice's metrics has the names that the recording rules make", async () => {
  const file = await readFile(new URL('../../dashboards/splice-names.yaml', import.meta.url), 'utf8')
  const recorded = [...file.matchAll(/record: (\S+)/g)].map(([, name = '']) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  )
  const documented = rows
    .filter(([name = '']) => name.startsWith('`splice_'))
    .flatMap(([, scraped = '']) => quoted(scraped))
  expect(new Set(documented)).toEqual(new Set(recorded))
})

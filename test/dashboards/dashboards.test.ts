import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue, type MetricRow, prefix } from '../../src/base/telemetry/metric-catalogue.ts'
import { createMetrics } from '../../src/base/telemetry/metrics.ts'
import { top } from '../arch/sources.ts'
import { parseExposition } from '../telemetry/exposition-text.ts'
import { alertTests, dashboardsThere, marks, queries, rules } from './files.ts'
import { type Matcher, selectedIn } from './promql.ts'

const rows = new Map<string, MetricRow>(Object.entries(catalogue))
const exposed = parseExposition(
  (await createMetrics({ version: '1', reads: ['a'], processMetrics: true }).scrape()).body,
)
const recorded = rules.flatMap(({ record }) => record ?? [])
const alerts = rules.filter(({ alert }) => alert !== undefined)
const ofRules = rules.map(({ alert, record, expr }) => ({ where: alert ?? record ?? '', expr }))

/**
 * Returns the row of the catalogue for a metric of the daemon. A histogram is found by its `_bucket`, `_sum` and
 * `_count`.
 */
function rowOf(metric: string): { readonly name: string; readonly row: MetricRow } | undefined {
  const own = metric.startsWith(prefix) ? metric.slice(prefix.length) : ''
  const whole = own.replace(/_(?:bucket|sum|count)$/, '')
  const row = rows.get(own)
  if (row !== undefined) return row.kind === 'histogram' ? undefined : { name: own, row }
  const histogram = rows.get(whole)
  return histogram?.kind === 'histogram' ? { name: whole, row: histogram } : undefined
}

function canMatch({ label, operator, value }: Matcher, row: MetricRow): boolean {
  if (label === 'instance' || label === 'le') return true
  const domain = row.labels[label]
  if (domain === undefined) return false
  if (typeof domain === 'string') return true
  const named = operator.includes('~') ? value.split('|') : [value]
  return named.every((word) => domain.includes(word))
}

test('every declared metric is on a dashboard', () => {
  const shown = queries.flatMap(({ expr }) => selectedIn(expr)).map(({ metric }) => rowOf(metric)?.name)
  expect([...rows.keys()].filter((name) => !shown.includes(name))).toEqual([])
})

test.each([...queries, ...ofRules])('$where names only metrics that are declared', ({ expr }) => {
  const selected = selectedIn(expr)
  expect(selected.length).toBeGreaterThan(0)
  const unknown = selected.filter(
    ({ metric }) =>
      rowOf(metric) === undefined &&
      !recorded.includes(metric) &&
      // Prometheus itself makes the metric `up` for every target.
      metric !== 'up' &&
      !(exposed.has(metric.replace(/_(?:bucket|sum|count)$/, '')) && /^(?:process|nodejs)_/.test(metric)),
  )
  expect(unknown).toEqual([])
})

test.each([...queries, ...ofRules])('$where selects by labels and values that there are', ({ expr }) => {
  const wrong = selectedIn(expr).flatMap(({ metric, matchers }) => {
    const known = rowOf(metric)
    return known === undefined ? [] : matchers.filter((matcher) => !canMatch(matcher, known.row))
  })
  expect(wrong).toEqual([])
})

describe('a dashboard', () => {
  test('marks every alert that fires', () => {
    expect(marks.length).toBe(dashboardsThere.length)
    for (const { where, expr } of marks) {
      const [{ metric, matchers } = { metric: '', matchers: [] }] = selectedIn(expr)
      expect(metric, where).toBe('ALERTS')
      const names = matchers.find(({ label }) => label === 'alertname')?.value ?? ''
      for (const { alert } of alerts) expect(alert).toMatch(new RegExp(`^${names}$`))
    }
  })

  test('leads to the page of the daemon, at an address that its reader can set', () => {
    for (const { file, links, templating } of dashboardsThere) {
      expect(
        links.map(({ url }) => url),
        file,
      ).toContain(`\${page:raw}/`)
      expect(
        templating.list.map(({ name }) => name),
        file,
      ).toContain('page')
    }
  })

  test('shows the daemons that are chosen in every panel', () => {
    for (const { where, expr } of queries)
      for (const { metric, matchers } of selectedIn(expr))
        expect(matchers, `${where}: ${metric}`).toContainEqual({
          label: 'instance',
          operator: '=~',
          value: '$instance',
        })
  })

  test('has an address and titles of its own, and no panel over another', () => {
    expect(new Set(dashboardsThere.map(({ uid }) => uid)).size).toBe(dashboardsThere.length)
    for (const { file, panels } of dashboardsThere) {
      const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
        expect(x + w).toBeLessThanOrEqual(24)
        return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
      })
      expect(new Set(taken).size, file).toBe(taken.length)
    }
  })
})

describe('an alert', () => {
  const page = readFileSync(join(top, 'docs/incidents.md'), 'utf8')
  const anchors = [...page.matchAll(/^###? (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

  test.each(alerts)(
    '$alert says how bad it is, what it means and what to do',
    ({ alert, labels, annotations }) => {
      expect(['page', 'ticket']).toContain(labels?.['severity'])
      expect(annotations?.['summary']).toMatch(/\.$/)
      expect(annotations?.['description']).toMatch(/\.$/)
      const [address, anchor] = annotations?.['runbook_url']?.split('#') ?? []
      expect(address).toBe('docs/incidents.md')
      expect(anchor).toBe(alert?.toLowerCase())
      expect(anchors).toContain(anchor)
    },
  )

  test.each(alerts)('$alert rounds each number that it shows', ({ annotations }) => {
    for (const text of Object.values(annotations ?? {}))
      for (const [shown] of text.matchAll(/\{\{[^}]*\$value[^}]*\}\}/g))
        expect(shown).toMatch(/if eq \$value 0\.0|printf "%\.0f" \$value|\$value \| humanizePercentage/)
  })

  test.each(alerts)('$alert has tests where it fires and where it is silent', ({ alert }) => {
    const cases = alertTests.tests
      .flatMap(({ alert_rule_test = [] }) => alert_rule_test)
      .filter(({ alertname }) => alertname === alert)
    expect(cases.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true)
    expect(cases.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true)
  })

  test('has a chapter only if there is such an alert', () => {
    const chapters = [...page.matchAll(/^### (ScanProxy\w+)$/gm)].map(([, name]) => name)
    expect(chapters.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
  })
})

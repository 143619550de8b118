import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { newFolder } from '../support/new-folder.ts'
import { dashboardsThere, filledIn } from './files.ts'

const panels = dashboardsThere.find(({ file }) => file === 'super-validators.json')?.panels ?? []

function exprOf(title: string, index = 0): string {
  const panel = panels.find((candidate) => candidate.title === title)
  return filledIn(panel?.targets?.[index]?.expr ?? '')
}

async function comesTo(
  expr: string,
  series: Readonly<Record<string, string>>,
  samples: Readonly<Record<string, number>>,
): Promise<void> {
  const file = join(newFolder(onTestFinished), 'panel.yaml')
  const text = stringify({
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr,
            eval_time: '10m',
            exp_samples: Object.entries(samples).map(([labels, value]) => ({ labels, value })),
          },
        ],
      },
    ],
  })
  await writeFile(file, text)
  const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', file])
  expect(stdout).toContain('SUCCESS')
}

const member = (sv: string, instance: string) =>
  `scan_proxy_super_validator_info{instance="${instance}", sv="${sv}", operator="of ${sv}"}`
const silent = (sv: string, instance: string) =>
  `scan_proxy_scan_silent_seconds{instance="${instance}", sv="${sv}"}`

test('a super validator counts as heard while one daemon hears it, and as silent after 90 s or if it never answered', () =>
  comesTo(
    exprOf('Reachability'),
    {
      [member('near', 'a')]: '1x20',
      [silent('near', 'a')]: '12x20',
      [member('shared', 'a')]: '1x20',
      [member('shared', 'b')]: '1x20',
      [silent('shared', 'a')]: '0+60x20',
      [silent('shared', 'b')]: '89x20',
      [member('gone', 'a')]: '1x20',
      [silent('gone', 'a')]: '0+60x20',
      [member('never', 'a')]: '1x20',
      // `seed.example.org` is a seed but no member of the roster, so the panel must not show its series.
      [silent('seed.example.org', 'a')]: '1x20',
    },
    { '{sv="near"}': 1, '{sv="shared"}': 1, '{sv="gone"}': 0, '{sv="never"}': 0 },
  ))

test('the table shows the share of votes for the agreed answers as agreement', () =>
  comesTo(
    exprOf('Super validators', 2),
    {
      'scan_proxy_votes_total{instance="a", sv="honest", read="x", vote="agree"}': '0+9x20',
      'scan_proxy_votes_total{instance="a", sv="liar", read="x", vote="agree"}': '0+1x20',
      'scan_proxy_votes_total{instance="b", sv="liar", read="y", vote="dissent"}': '0+3x20',
    },
    { '{sv="honest"}': 1, '{sv="liar"}': 0.25 },
  ))

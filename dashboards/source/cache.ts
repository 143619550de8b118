import type { Dashboard } from './dashboard.ts'
import { gauge, rate, share, sum } from './expressions.ts'

export const cache: Dashboard = {
  name: 'cache',
  title: 'cache and Redis',
  description: 'What is answered without asking, and what stands in the way of it.',
  rows: {
    Answers: [
      {
        as: 'chart',
        title: 'Hit rate',
        description: 'Stale answers are hits: they are served while they are refreshed.',
        unit: 'percentunit',
        queries: [
          {
            expr: share(
              sum(rate('cache_lookups_total', 'result=~"hit|stale"'), 'tier'),
              sum(rate('cache_lookups_total'), 'tier'),
            ),
            legend: '{{tier}}',
          },
          {
            expr: share(sum(rate('http_cache_hits_total')), sum(rate('http_requests_total'))),
            legend: 'requests of callers',
          },
        ],
      },
      {
        as: 'chart',
        title: 'Lookups',
        unit: 'reqps',
        stacked: true,
        queries: [
          { expr: sum(rate('cache_lookups_total'), 'tier', 'result'), legend: '{{tier}} {{result}}' },
        ],
      },
      {
        as: 'chart',
        title: 'In memory',
        unit: 'bytes',
        queries: [
          { expr: sum(gauge('cache_bytes'), 'instance', 'partition'), legend: '{{instance}} {{partition}}' },
        ],
      },
      {
        as: 'chart',
        title: 'Stale answers that could not be refreshed',
        unit: 'cps',
        queries: [{ expr: `topk(5, ${sum(rate('refresh_failures_total'), 'read')})`, legend: '{{read}}' }],
      },
      {
        as: 'chart',
        title: 'Given up because a name changed',
        unit: 'cps',
        queries: [{ expr: sum(rate('invalidations_total'), 'from'), legend: '{{from}}' }],
      },
      {
        as: 'chart',
        title: 'Older than an answer before',
        description:
          'behind: not served. newer: asking all gave a newer answer. withdrawn: all but f insist.',
        unit: 'cps',
        queries: [{ expr: sum(rate('older_answers_total'), 'outcome'), legend: '{{outcome}}' }],
      },
      {
        as: 'chart',
        title: 'Questions with a floor of age',
        queries: [{ expr: gauge('floors'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Ages of answers reach guard.file',
        description: 'Nothing is here where no file is configured.',
        queries: [{ expr: gauge('floor_file_writable'), legend: '{{instance}}' }],
      },
    ],
    Mirror: [
      {
        as: 'chart',
        title: 'Mirrored names',
        description: 'Nothing is here where there is no mirror of names; 0 while it serves nothing.',
        queries: [{ expr: gauge('mirror_entries'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'The mirror reaches mirror.file',
        description: 'Nothing is here where no file is configured.',
        queries: [{ expr: gauge('mirror_file_writable'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'The mirror knows the name-service package',
        description: 'At 0 all names are read live: the agreed rules name a version that was not audited.',
        queries: [{ expr: gauge('mirror_package_known'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Snapshot',
        unit: 'dateTimeFromNow',
        queries: [{ expr: `1000 * ${gauge('mirror_as_of_timestamp_seconds')}`, legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Answers from the mirror',
        unit: 'reqps',
        queries: [{ expr: sum(rate('mirror_answers_total'), 'claim'), legend: '{{claim}}' }],
      },
      {
        as: 'chart',
        title: 'Drains, spot checks and reconciliations',
        unit: 'cps',
        queries: [
          { expr: sum(rate('mirror_drains_total'), 'outcome'), legend: 'drain {{outcome}}' },
          { expr: sum(rate('mirror_spot_checks_total'), 'outcome'), legend: 'spot check {{outcome}}' },
          {
            expr: sum(rate('mirror_reconciliations_total'), 'outcome'),
            legend: 'reconciliation {{outcome}}',
          },
        ],
      },
      {
        as: 'chart',
        title: 'Mirrored names that were contradicted',
        unit: 'cps',
        queries: [{ expr: sum(rate('mirror_withdrawn_entries_total')), legend: 'contradicted' }],
      },
      {
        as: 'chart',
        title: 'Bytes of snapshots and updates',
        unit: 'Bps',
        queries: [{ expr: sum(rate('mirror_received_bytes_total')), legend: 'received' }],
      },
    ],
    Redis: [
      {
        as: 'chart',
        title: 'Up',
        description: 'Nothing is here where no Redis is configured.',
        queries: [{ expr: gauge('redis_up'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Commands that failed',
        unit: 'cps',
        queries: [{ expr: sum(rate('redis_failures_total'), 'operation'), legend: '{{operation}}' }],
      },
      {
        as: 'chart',
        title: 'Values not used',
        description: 'seal: somebody writes there without the secret.',
        unit: 'cps',
        queries: [{ expr: sum(rate('redis_refusals_total'), 'reason'), legend: '{{reason}}' }],
      },
    ],
  },
}

import type { Dashboard } from './dashboard.ts'
import { buckets, gauge, quantile, rate, share, sum } from './expressions.ts'

const served = ['result=~"hit|stale"', 'tier="memory"'] as const

export const overview: Dashboard = {
  name: 'overview',
  title: 'overview',
  description: 'Whether callers get answers, how fast, and whether a quorum stands behind them.',
  rows: {
    Now: [
      {
        as: 'stat',
        title: 'Quorum margin',
        description: 'How many more are reachable than must agree. Below 0 nothing can be agreed on.',
        goodFrom: 2,
        queries: [{ expr: `min by (count) (${gauge('quorum_margin')})`, legend: '{{count}}' }],
      },
      {
        as: 'stat',
        title: 'Protected',
        description: '0 where one lying super validator can make an answer.',
        goodFrom: 1,
        queries: [{ expr: `min(${gauge('protected')})`, legend: 'protected' }],
      },
      {
        as: 'stat',
        title: 'Reads not agreed on',
        unit: 'percentunit',
        goodTo: 0.005,
        queries: [
          {
            expr: share(sum(rate('reads_total', 'outcome!="agreed"')), sum(rate('reads_total'))),
            legend: 'of all',
          },
        ],
      },
      {
        as: 'stat',
        title: 'Hit rate',
        description: 'Lookups that memory answered, stale answers included.',
        unit: 'percentunit',
        queries: [
          {
            expr: share(
              sum(rate('cache_lookups_total', ...served)),
              sum(rate('cache_lookups_total', 'tier="memory"')),
            ),
            legend: 'memory',
          },
        ],
      },
      {
        as: 'stat',
        title: 'Age of the roster',
        unit: 's',
        goodTo: 1800,
        queries: [{ expr: `max(${gauge('roster_age_seconds')})`, legend: 'oldest' }],
      },
      {
        as: 'stat',
        title: 'Super validators',
        queries: [{ expr: `min by (state) (${gauge('roster_super_validators')})`, legend: '{{state}}' }],
      },
    ],
    Callers: [
      {
        as: 'chart',
        title: 'Requests by status',
        unit: 'reqps',
        stacked: true,
        queries: [{ expr: sum(rate('http_requests_total'), 'status'), legend: '{{status}}' }],
      },
      {
        as: 'chart',
        title: 'Requests by route',
        unit: 'reqps',
        queries: [{ expr: `topk(10, ${sum(rate('http_requests_total'), 'route')})`, legend: '{{route}}' }],
      },
      {
        as: 'chart',
        title: 'Time to an answer',
        unit: 's',
        queries: [
          { expr: quantile(0.5, 'http_request_duration_seconds'), legend: 'half' },
          { expr: quantile(0.95, 'http_request_duration_seconds'), legend: '95 %' },
          { expr: quantile(0.99, 'http_request_duration_seconds'), legend: '99 %' },
        ],
      },
      {
        as: 'heatmap',
        title: 'Time to an answer, all of them',
        description: 'Hits take below a millisecond; the upper band is misses.',
        unit: 's',
        expr: buckets('http_request_duration_seconds'),
      },
      {
        as: 'heatmap',
        title: 'Time to a verdict, all of them',
        unit: 's',
        expr: buckets('read_duration_seconds'),
      },
    ],
    'Put to the quorum': [
      {
        as: 'chart',
        title: 'Reads by outcome',
        description: 'What no cache answered.',
        unit: 'reqps',
        stacked: true,
        queries: [{ expr: sum(rate('reads_total'), 'outcome'), legend: '{{outcome}}' }],
      },
      {
        as: 'chart',
        title: 'Reads not agreed on',
        unit: 'reqps',
        queries: [
          {
            expr: `topk(10, ${sum(rate('reads_total', 'outcome!="agreed"'), 'read', 'outcome')})`,
            legend: '{{read}} {{outcome}}',
          },
        ],
      },
      {
        as: 'chart',
        title: 'Time to a verdict',
        unit: 's',
        queries: [
          { expr: quantile(0.5, 'read_duration_seconds'), legend: 'half' },
          { expr: quantile(0.95, 'read_duration_seconds'), legend: '95 %' },
          { expr: quantile(0.99, 'read_duration_seconds'), legend: '99 %' },
        ],
      },
      {
        as: 'chart',
        title: 'Turned away for their misses',
        unit: 'reqps',
        queries: [
          { expr: sum(rate('misses_limited_total')), legend: '429' },
          { expr: sum(rate('receipts_unsigned_total')), legend: 'without receipt' },
        ],
      },
      {
        as: 'chart',
        title: 'Turned away at a limit of this daemon',
        description:
          'reads: as many loads as may run were running. asks: as many requests to scans as may wait were waiting.',
        unit: 'reqps',
        queries: [{ expr: sum(rate('reads_rejected_total'), 'limit'), legend: '{{limit}}' }],
      },
      {
        as: 'chart',
        title: 'Refusals that no row knows',
        description: 'Replies of 404 that count for nothing; the log has their text.',
        unit: 'reqps',
        queries: [{ expr: `topk(5, ${sum(rate('unknown_refusals_total'), 'read')})`, legend: '{{read}}' }],
      },
    ],
  },
}

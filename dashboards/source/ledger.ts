import type { Dashboard } from './dashboard.ts'
import { gauge, quantile, rate, sum } from './expressions.ts'

const registry = 'route=~"createAnsEntry|listOwnAnsEntries|.*SubscriptionRequest.*"'
const updates = 'route=~"(post|get)(Update|ActiveContract|Ledger|LatestPruned).*"'

export const ledger: Dashboard = {
  name: 'ledger',
  title: 'ledger and registry',
  description: 'Names that are asked for and paid for, and who reads the ledger.',
  rows: {
    Ledger: [
      {
        as: 'chart',
        title: 'Writes',
        description: 'unavailable and failed are those that should not be.',
        unit: 'cps',
        stacked: true,
        queries: [{ expr: sum(rate('ledger_writes_total'), 'outcome'), legend: '{{outcome}}' }],
      },
      {
        as: 'chart',
        title: 'Streams that are read',
        queries: [{ expr: gauge('ledger_readers'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Requests for updates and state',
        unit: 'reqps',
        queries: [
          {
            expr: sum(rate('http_requests_total', updates), 'route', 'status'),
            legend: '{{route}} {{status}}',
          },
        ],
      },
    ],
    Registry: [
      {
        as: 'chart',
        title: 'Requests',
        unit: 'reqps',
        queries: [
          {
            expr: sum(rate('http_requests_total', registry), 'route', 'status'),
            legend: '{{route}} {{status}}',
          },
        ],
      },
      {
        as: 'chart',
        title: 'Time to an answer, 95 %',
        unit: 's',
        queries: [
          {
            expr: quantile(0.95, 'http_request_duration_seconds', ['route'], registry),
            legend: '{{route}}',
          },
        ],
      },
    ],
  },
}

import type { Dashboard } from './dashboard.ts'
import { busy, gauge, ofProcess, rate, rateOfProcess } from './expressions.ts'

export const process: Dashboard = {
  name: 'process',
  title: 'process',
  description: 'What the daemons take of their machines.',
  rows: {
    Process: [
      {
        as: 'chart',
        title: 'Running',
        description: 'More than one version: a roll-out is under way.',
        queries: [
          {
            expr: `count by (version, node) (${gauge('build_info')})`,
            legend: '{{version}} on Node {{node}}',
          },
        ],
      },
      {
        as: 'chart',
        title: 'Processor',
        description: 'Of one core.',
        unit: 'percentunit',
        queries: [{ expr: rateOfProcess('process_cpu_seconds_total'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Memory',
        unit: 'bytes',
        queries: [
          { expr: ofProcess('process_resident_memory_bytes'), legend: '{{instance}} resident' },
          { expr: ofProcess('nodejs_heap_size_used_bytes'), legend: '{{instance}} heap' },
        ],
      },
      {
        as: 'chart',
        title: 'Event loop lag, 99 %',
        unit: 's',
        queries: [{ expr: ofProcess('nodejs_eventloop_lag_p99_seconds'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Garbage collection',
        description: 'Of the time.',
        unit: 'percentunit',
        queries: [
          {
            expr: `sum by (instance, kind) (${rateOfProcess('nodejs_gc_duration_seconds_sum')})`,
            legend: '{{instance}} {{kind}}',
          },
        ],
      },
      {
        as: 'chart',
        title: 'Open files',
        queries: [
          { expr: ofProcess('process_open_fds'), legend: '{{instance}}' },
          { expr: `min(${ofProcess('process_max_fds')})`, legend: 'limit' },
        ],
      },
    ],
    'Work under way': [
      {
        as: 'chart',
        title: 'Requests at a time',
        description: 'Seconds of requests in a second.',
        queries: [
          { expr: `sum by (instance) (${busy('http_request_duration_seconds')})`, legend: '{{instance}}' },
        ],
      },
      {
        as: 'chart',
        title: 'Asks under way',
        queries: [{ expr: gauge('in_flight_asks'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Replies in memory',
        unit: 'bytes',
        queries: [{ expr: gauge('buffered_bytes'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Lines of the log lost',
        description: 'Standard output is full, or nobody reads it.',
        unit: 'cps',
        queries: [{ expr: rate('log_lines_lost_total'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'Events not told',
        description: 'Their counting or logging failed.',
        unit: 'cps',
        queries: [{ expr: rate('telemetry_failures_total'), legend: '{{instance}}' }],
      },
    ],
  },
}

import type { Dashboard } from './dashboard.ts'
import { buckets, gauge, grownBy, quantile, quantileOfRange, rate, share, sum } from './expressions.ts'
import { pageLink, type Words } from './panel.ts'

const fault = 'outcome!~"value|refusal|abstention"'
const byOperator = `* on (instance, sv) group_left (operator) ${gauge('super_validator_info')}`
const agreed = rate('votes_total', 'vote="agree"')
const voted = rate('votes_total')
const silentFor = `min by (sv) (${gauge('scan_silent_seconds')})`
const members = `max by (sv) (${gauge('super_validator_info', 'sv=~"$sv"')})`
/** A daemon probes a super validator that it has not asked for 30 s, and three probes without a reply are silence. */
const heard = `(${silentFor} < bool 90) * on (sv) ${members} or on (sv) 0 * ${members}`
const words: Words = { 0: { text: 'silent', color: 'red' }, 1: { text: 'heard', color: 'green' } }

export const superValidators: Dashboard = {
  name: 'super-validators',
  title: 'super validators',
  description: 'Who agrees, who contradicts, who is slow and who is silent.',
  choosesSuperValidators: true,
  rows: {
    'Who they are': [
      {
        as: 'table',
        title: 'Super validators',
        description: 'Agreement, dissents and latency are those of the time shown.',
        links: [{ ...pageLink, url: `${pageLink.url}network` }],
        by: { label: 'sv', title: 'Super validator' },
        labels: { operator: 'Operator' },
        rows: `max by (sv, operator) (${gauge('super_validator_info', 'sv=~"$sv"')})`,
        columns: [
          { title: 'Now', expr: heard, words },
          {
            title: 'Agreement',
            expr: share(
              sum(grownBy('votes_total', 'vote="agree"', 'sv=~"$sv"'), 'sv'),
              sum(grownBy('votes_total', 'sv=~"$sv"'), 'sv'),
            ),
            unit: 'percentunit',
            goodFrom: 0.9,
            otherwise: 'no votes',
          },
          {
            title: 'Dissents',
            expr: sum(grownBy('votes_total', 'vote="dissent"', 'sv=~"$sv"'), 'sv'),
            goodTo: 1,
          },
          {
            title: 'Latency, half of asks',
            expr: quantileOfRange(0.5, 'scan_request_duration_seconds', 'sv'),
            unit: 's',
          },
          {
            title: 'Latency, 95 % of asks',
            expr: quantileOfRange(0.95, 'scan_request_duration_seconds', 'sv'),
            unit: 's',
          },
          { title: 'Last heard', expr: silentFor, unit: 's', goodTo: 90, otherwise: 'never' },
        ],
      },
      {
        as: 'timeline',
        title: 'Reachability',
        description:
          'Red while no daemon has heard of it for 90 s: three times `scanClient.probeInterval` as it is by default.',
        queries: [{ expr: heard, legend: '{{sv}}' }],
        words,
      },
      {
        as: 'heatmap',
        title: 'Latency of the chosen super validators',
        description: 'Asks by how long they took. Two bands: some are far away, or one is slow now and then.',
        unit: 's',
        expr: buckets('scan_request_duration_seconds', 'sv=~"$sv"'),
      },
    ],
    Agreement: [
      {
        as: 'chart',
        title: 'Agreement',
        description: 'Votes for what was agreed, of all votes.',
        unit: 'percentunit',
        queries: [{ expr: share(sum(agreed, 'sv'), sum(voted, 'sv')), legend: '{{sv}}' }],
      },
      {
        as: 'chart',
        title: 'Agreement by operator',
        unit: 'percentunit',
        queries: [
          {
            expr: share(
              sum(`${agreed} ${byOperator}`, 'operator'),
              sum(`${voted} ${byOperator}`, 'operator'),
            ),
            legend: '{{operator}}',
          },
        ],
      },
      {
        as: 'chart',
        title: 'Dissent',
        description: 'Votes that contradict what was agreed, also when asked again for a minute.',
        unit: 'cps',
        queries: [{ expr: sum(rate('votes_total', 'vote="dissent"'), 'sv'), legend: '{{sv}}' }],
      },
      {
        as: 'chart',
        title: 'Votes by kind',
        unit: 'cps',
        stacked: true,
        queries: [{ expr: sum(voted, 'vote'), legend: '{{vote}}' }],
      },
      {
        as: 'chart',
        title: 'Dissents not looked into yet',
        queries: [{ expr: sum(gauge('dissents_pending'), 'sv'), legend: '{{sv}}' }],
      },
      {
        as: 'chart',
        title: 'Dissents looked into',
        description: 'Lag: it said the same within a minute. Split: at least f+1 say what it says.',
        unit: 'cps',
        queries: [{ expr: sum(rate('rechecks_total'), 'outcome'), legend: '{{outcome}}' }],
      },
      {
        as: 'chart',
        title: 'Evidence taken',
        unit: 'cps',
        queries: [{ expr: sum(rate('evidence_cases_total'), 'outcome'), legend: '{{outcome}}' }],
      },
      {
        as: 'chart',
        title: 'Evidence kept',
        unit: 'bytes',
        queries: [{ expr: gauge('evidence_bytes'), legend: '{{instance}}' }],
      },
    ],
    Health: [
      {
        as: 'chart',
        title: 'Asks',
        unit: 'reqps',
        queries: [{ expr: sum(rate('scan_requests_total'), 'sv'), legend: '{{sv}}' }],
      },
      {
        as: 'chart',
        title: 'Asks by operator',
        unit: 'reqps',
        queries: [
          {
            expr: sum(`${sum(rate('scan_requests_total'), 'instance', 'sv')} ${byOperator}`, 'operator'),
            legend: '{{operator}}',
          },
        ],
      },
      {
        as: 'chart',
        title: 'Faults',
        unit: 'reqps',
        queries: [
          { expr: sum(rate('scan_requests_total', fault), 'sv', 'outcome'), legend: '{{sv}} {{outcome}}' },
        ],
      },
      {
        as: 'chart',
        title: 'Latency, half of asks',
        unit: 's',
        queries: [{ expr: quantile(0.5, 'scan_request_duration_seconds', ['sv']), legend: '{{sv}}' }],
      },
      {
        as: 'chart',
        title: 'Latency, 95 % of asks',
        unit: 's',
        queries: [{ expr: quantile(0.95, 'scan_request_duration_seconds', ['sv']), legend: '{{sv}}' }],
      },
      {
        as: 'chart',
        title: 'Last seen',
        description: 'Since it last answered anything but a fault.',
        unit: 's',
        queries: [{ expr: `min by (sv) (${gauge('scan_silent_seconds')})`, legend: '{{sv}}' }],
      },
      {
        as: 'chart',
        title: 'Releases of Splice',
        description: 'How many scans name a release that this daemon knows, or a newer or an older one.',
        queries: [
          {
            expr: `count by (standing) (max by (sv, standing) (${gauge('scan_release_info')}))`,
            legend: '{{standing}}',
          },
        ],
      },
    ],
    Roster: [
      {
        as: 'chart',
        title: 'Reachable',
        queries: [
          { expr: `min by (state) (${gauge('roster_super_validators')})`, legend: '{{state}}' },
          { expr: `max by (count) (${gauge('quorum_threshold')})`, legend: 'threshold, {{count}}' },
        ],
      },
      {
        as: 'chart',
        title: 'Quorum margin',
        queries: [{ expr: `min by (count) (${gauge('quorum_margin')})`, legend: '{{count}}' }],
      },
      {
        as: 'chart',
        title: 'Refreshes',
        unit: 'cps',
        queries: [{ expr: sum(rate('roster_refreshes_total'), 'outcome'), legend: '{{outcome}}' }],
      },
      {
        as: 'chart',
        title: 'Age',
        unit: 's',
        queries: [{ expr: gauge('roster_age_seconds'), legend: '{{instance}}' }],
      },
      {
        as: 'chart',
        title: 'What makes it weak',
        description: 'All 0 where all is well.',
        queries: [
          { expr: `max(${gauge('roster_single_seed')})`, legend: 'on the word of one seed' },
          { expr: `max(${gauge('operators_unmatched')})`, legend: 'members of operators that match nothing' },
        ],
      },
    ],
  },
}

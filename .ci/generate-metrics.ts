import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { catalogue, type MetricRow } from '../src/base/telemetry/metric-catalogue.ts'

/** Each chapter begins with the named metric, and has those after it in the catalogue. */
const chapters: Readonly<Record<string, string>> = {
  http_requests_total: 'Requests',
  reads_total: 'Reads',
  scan_requests_total: 'Super validators',
  cache_lookups_total: 'Cache',
  roster_super_validators: 'Roster',
  mirror_as_of_timestamp_seconds: 'Mirror',
  ledger_writes_total: 'Ledger',
  log_lines_lost_total: 'This process',
}

export function metricsPage(): string {
  return `<!-- Written by .ci/generate-metrics.ts from src/base/telemetry/metric-catalogue.ts. -->

# Metrics

\`GET /metrics\` on the operations address (\`http://127.0.0.1:9464/metrics\`) answers in the Prometheus text format, or in
OpenMetrics where the \`accept\` header prefers it. Every name below has the prefix \`scan_proxy_\`. Node's own metrics
(\`process_...\`, \`nodejs_...\`) come beside them. Every metric is on a dashboard ([watching.md](watching.md#alerts)).

| label | says |
| --- | --- |
| \`sv\` | a super validator of the roster by its name; before the first roster a seed by its host |
| \`operator\` | who runs a super validator, as \`scanClient.operators\` says |
| \`read\`, \`route\` | the id of a read or of another route |
| \`method\`, \`status\` | \`GET\`, \`HEAD\`, \`POST\`, \`PUT\`, \`PATCH\`, \`DELETE\`, \`OPTIONS\`; the HTTP status code |

Labels never hold a name that was looked up, a party, a path or an error text. Unknown values are counted as \`other\`.
${Object.entries<MetricRow>(catalogue).map(line).join('\n')}

## Outcomes of a request

\`value\`, \`refusal\` and \`abstention\` are heard. The others are faults:

| outcome | do |
| --- | --- |
| \`unreachable\`, \`reset\`, \`timeout\`, \`unauthorized\`, \`redirect\`, \`server-error\`, \`unexpected-status\`, \`oversized\`, \`truncated\`, \`not-json\`, \`misshapen\`, \`wrong-answer\` | tell its operator |
| \`blocked\` | its URL is not allowed here: see \`scanClient.allowHttp\` and \`allowPrivate\` |
| \`rate-limited\` | send fewer requests, or agree on a limit |
| \`held-back\` | the scan was not asked: it had asked for a pause, or its limit (\`scanClient.asksPerSecond\`, \`registryAsksPerMinute\`) is used up |
| \`busy\` | raise \`scanClient.maxInFlight\` or \`maxBufferedBytes\`, or give this machine more processor time |

## Splice's connection metrics

The recording rules in \`dashboards/splice-names.yaml\` give Prometheus the five connection metrics of Splice's validator.

| Splice | as scraped | ours |
| --- | --- | --- |
| \`splice_validator_scan_per_connection_latency\` | \`splice_validator_scan_per_connection_latency_duration_seconds\` | \`scan_request_duration_seconds\` |
| \`splice_validator_scan_per_connection_calls\` | \`splice_validator_scan_per_connection_calls_total\` | \`scan_requests_total\` |
| \`splice_validator_scan_bft_read_latency\` | \`splice_validator_scan_bft_read_latency_duration_seconds\` | \`read_duration_seconds\` of all outcomes |
| \`splice_validator_scan_bft_calls\` | \`splice_validator_scan_bft_calls_total\` | \`reads_total\` |
| \`splice_validator_scan_bft_per_connection_consensus\` | \`splice_validator_scan_bft_per_connection_consensus_total\` | \`votes_total\` |

Splice's \`scan_connection\` is the super validator's name, and \`request\` is \`read\`. In \`outcome\`, \`value\` and \`refusal\`
are \`ok\`, \`disputed\` and \`undecided\` are \`consensus_not_reached\`, and \`unreachable\` is \`not_enough_scans\`. In
\`consensus\`, \`dissent\`, \`abstain\` and \`fault\` are \`disagree\`; \`lag\`, \`ahead\`, \`split\` and \`unchecked\` are left out.
`
}

function line([name, { kind, labels, help }]: readonly [string, MetricRow]): string {
  const chapter = chapters[name]
  const head =
    chapter === undefined
      ? ''
      : `\n## ${chapter}\n\n| name | kind | labels | meaning, and what to do |\n| --- | --- | --- | --- |\n`
  const named = Object.keys(labels).map((label) => `\`${label}\``)
  return `${head}| \`${name}\` | ${kind} | ${named.join(', ')} | ${help} |`
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../docs/metrics.md', import.meta.url)), metricsPage())
}

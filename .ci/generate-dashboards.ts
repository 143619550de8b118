import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'
import { dashboards } from '../dashboards/source/all.ts'
import { dashboardJson } from '../dashboards/source/dashboard.ts'

export function dashboardFiles(): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(
      dashboards.map((dashboard) => [
        `dashboards/${dashboard.name}.json`,
        `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`,
      ]),
    ),
    'deploy/kubernetes/monitoring/prometheus-rule.yaml': prometheusRule(),
  }
}

function prometheusRule(): string {
  const name = 'bft-scan-proxy'
  const resource = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name, labels: { 'app.kubernetes.io/name': name } },
    spec: parse(read('dashboards/alerts.yaml')),
  }
  return `# Generated from dashboards/alerts.yaml by npm run generate.\n${stringify(resource, { lineWidth: 0 })}`
}

function read(path: string): string {
  return readFileSync(inProject(path), 'utf8')
}

function inProject(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}

if (import.meta.main)
  for (const [path, text] of Object.entries(dashboardFiles())) writeFileSync(inProject(path), text)

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { dashboards } from '../dashboards/source/all.ts'
import { dashboardJson } from '../dashboards/source/dashboard.ts'

/** The dashboards as Grafana imports them, by path. */
export function dashboardFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    dashboards.map((dashboard) => [
      `dashboards/${dashboard.name}.json`,
      `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`,
    ]),
  )
}

if (import.meta.main)
  for (const [path, text] of Object.entries(dashboardFiles()))
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text)

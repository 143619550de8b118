import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { top } from '../arch/sources.ts'

export interface Panel {
  readonly type: string
  readonly title: string
  readonly targets?: readonly { readonly expr: string; readonly format?: string }[]
  readonly links?: readonly { readonly url: string }[]
  readonly transformations?: readonly {
    readonly id: string
    readonly options: { readonly renameByName?: Readonly<Record<string, string>> }
  }[]
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
}

export interface DashboardFile {
  readonly file: string
  readonly uid: string
  readonly links: readonly { readonly type: string; readonly url?: string }[]
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] }
  readonly templating: { readonly list: readonly { readonly name: string }[] }
  readonly panels: readonly Panel[]
}

export interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

interface AlertTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly alertname: string
      readonly exp_alerts: readonly unknown[]
    }[]
  }[]
}

const folder = join(top, 'dashboards')

export const dashboardsThere: readonly DashboardFile[] = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, ...JSON.parse(read(file)) }))

export const rulesFile: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  read('alerts.yaml'),
)

export const rules = rulesFile.groups.flatMap((group) => group.rules)

export const alertTests: AlertTests = parse(read('alerts.test.yaml'))

export const queries = dashboardsThere.flatMap(({ file, panels }) =>
  panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: `${file}, ${title}`, expr })),
  ),
)

export const marks = dashboardsThere.flatMap(({ file, annotations: { list } }) =>
  list.map(({ name, expr }) => ({ where: `${file}, ${name}`, expr })),
)

export function filledIn(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', '5s')
    .replaceAll('$__range', '2m')
    .replaceAll(/\$(?:instance|sv)\b/g, '.*')
}

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}

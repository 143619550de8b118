import { type Panel, pageLink } from './panel.ts'
import { datasource, panelJson } from './panel-json.ts'

export interface Dashboard {
  /** The end of its uid and the name of its file. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** Whether a visitor can choose super validators: `$sv` in an expression. */
  readonly choosesSuperValidators?: true
  readonly rows: Readonly<Record<string, readonly Panel[]>>
}

const columns = 24
const widths = { stat: 4, chart: 8, heatmap: 12, timeline: 12, table: columns } as const
const heights = { stat: 4, chart: 8, heatmap: 8, timeline: 8, table: 10 } as const

/** As Grafana imports it. */
export function dashboardJson(dashboard: Dashboard): object {
  const { name, title, description, rows, choosesSuperValidators } = dashboard
  return {
    uid: `bft-scan-proxy-${name}`,
    title: `bft-scan-proxy / ${title}`,
    description,
    tags: ['bft-scan-proxy'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    links: [
      {
        type: 'dashboards',
        title: 'bft-scan-proxy',
        tags: ['bft-scan-proxy'],
        asDropdown: true,
        keepTime: true,
        includeVars: true,
      },
      { type: 'link', icon: 'external link', targetBlank: true, ...pageLink },
    ],
    annotations: { list: [alertsFired] },
    templating: { list: choosesSuperValidators ? [...variables, superValidator] : variables },
    panels: laidOut(rows),
  }
}

/** A mark where an alert fires, with what its labels say. */
const alertsFired = {
  name: 'Alerts',
  datasource,
  enable: true,
  iconColor: 'red',
  expr: 'ALERTS{alertname=~"ScanProxy.*",alertstate="firing"}',
  step: '60s',
  titleFormat: '{{alertname}}',
  // Not in the text: Grafana prints the name of a label that a series does not have.
  textFormat: '{{severity}}',
  tagKeys: 'job,instance,sv,count',
}

const variables = [
  { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
  variableOf('instance', 'Daemon', 'label_values(scan_proxy_build_info, instance)'),
  {
    name: 'page',
    type: 'textbox',
    label: 'Page',
    description: 'Where this browser reaches the operations address of a daemon.',
    query: 'http://localhost:9464',
    current: { text: 'http://localhost:9464', value: 'http://localhost:9464' },
  },
]

const superValidator = variableOf(
  'sv',
  'Super validator',
  'label_values(scan_proxy_super_validator_info{instance=~"$instance"}, sv)',
)

/** A variable whose values Prometheus knows; any number of them can be chosen. */
function variableOf(name: string, label: string, query: string): object {
  return {
    name,
    type: 'query',
    label,
    datasource,
    definition: query,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  }
}

function laidOut(rows: Dashboard['rows']): object[] {
  const placed: object[] = []
  let y = 0
  for (const [title, panels] of Object.entries(rows)) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: [],
    })
    y += 1
    let x = 0
    let height = 0
    for (const panel of panels) {
      const w = panel.width ?? widths[panel.as]
      const h = heights[panel.as]
      if (x + w > columns) {
        x = 0
        y += height
        height = 0
      }
      placed.push({ id: placed.length + 1, ...panelJson(panel), gridPos: { x, y, w, h } })
      x += w
      height = Math.max(height, h)
    }
    y += height
  }
  return placed
}

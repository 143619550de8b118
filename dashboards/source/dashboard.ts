/** What one panel shows. */
export interface Panel {
  readonly title: string
  /** What to see in it; stands behind its "i". */
  readonly description?: string
  /** `stat`: the last value, large; `chart`: over time. */
  readonly as: 'stat' | 'chart'
  /** Of the 24 columns; 8 where it is left out, 4 for a `stat`. */
  readonly width?: number
  /** Grafana's name of a unit, such as `s`, `bytes`, `reqps`, `percentunit`. */
  readonly unit?: string
  readonly stacked?: true
  /** Values from which a `stat` is green, ascending; below the first it is red. */
  readonly goodFrom?: number
  /** Values up to which a `stat` is green. */
  readonly goodTo?: number
  readonly queries: readonly Query[]
}

export interface Query {
  readonly expr: string
  /** With labels in double braces. */
  readonly legend: string
}

export interface Dashboard {
  /** The end of its uid and the name of its file. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly rows: Readonly<Record<string, readonly Panel[]>>
}

const columns = 24
const heights = { stat: 4, chart: 8 } as const
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana's
const datasource = { type: 'prometheus', uid: '${datasource}' }

/** As Grafana imports it. */
export function dashboardJson({ name, title, description, rows }: Dashboard): object {
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
    ],
    templating: { list: variables },
    panels: laidOut(rows),
  }
}

const variables = [
  { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
  {
    name: 'instance',
    type: 'query',
    label: 'Daemon',
    datasource,
    definition: 'label_values(scan_proxy_build_info, instance)',
    query: { query: 'label_values(scan_proxy_build_info, instance)', refId: 'instance' },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  },
]

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
      const w = panel.width ?? (panel.as === 'stat' ? 4 : 8)
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

function panelJson(panel: Panel): object {
  const { title, description, queries, unit = 'short' } = panel
  const targets = queries.map(({ expr, legend }, index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource,
    expr,
    legendFormat: legend,
    ...(panel.as === 'stat' ? { instant: true, range: false } : {}),
  }))
  const common = { title, ...(description === undefined ? {} : { description }), datasource, targets }
  if (panel.as === 'stat')
    return {
      type: 'stat',
      ...common,
      fieldConfig: { defaults: { unit, thresholds: thresholdsOf(panel) }, overrides: [] },
      options: { reduceOptions: { calcs: ['lastNotNull'] }, textMode: 'auto', colorMode: 'value' },
    }
  const custom = panel.stacked ? { fillOpacity: 30, stacking: { mode: 'normal' } } : { fillOpacity: 5 }
  return {
    type: 'timeseries',
    ...common,
    fieldConfig: { defaults: { unit, custom }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  }
}

function thresholdsOf({ goodFrom, goodTo }: Panel): object {
  if (goodFrom !== undefined) return { mode: 'absolute', steps: [step('red', null), step('green', goodFrom)] }
  if (goodTo !== undefined) return { mode: 'absolute', steps: [step('green', null), step('red', goodTo)] }
  return { mode: 'absolute', steps: [step('text', null)] }
}

function step(color: string, value: number | null): object {
  return { color, value }
}

import type {
  Chart,
  Column,
  Common,
  Heatmap,
  Panel,
  Query,
  Scale,
  Stat,
  Table,
  Timeline,
  Words,
} from './panel.ts'

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana's
export const datasource = { type: 'prometheus', uid: '${datasource}' }

/** A panel as Grafana imports it, without its place. */
export function panelJson(panel: Panel): object {
  return { ...commonJson(panel), ...bodyJson(panel) }
}

function commonJson({ title, description, links }: Common): object {
  return {
    title,
    ...(description === undefined ? {} : { description }),
    datasource,
    ...(links === undefined ? {} : { links: links.map((link) => ({ ...link, targetBlank: true })) }),
  }
}

function bodyJson(panel: Panel): object {
  switch (panel.as) {
    case 'stat':
      return statJson(panel)
    case 'chart':
      return chartJson(panel)
    case 'table':
      return tableJson(panel)
    case 'timeline':
      return timelineJson(panel)
    case 'heatmap':
      return heatmapJson(panel)
    default:
      return panel satisfies never
  }
}

function statJson(panel: Stat): object {
  return {
    type: 'stat',
    targets: panel.queries.map(({ expr, legend }, index) => ({
      ...target(index, expr),
      legendFormat: legend,
      instant: true,
      range: false,
    })),
    fieldConfig: {
      defaults: { unit: panel.unit ?? 'short', thresholds: thresholdsOf(panel) },
      overrides: [],
    },
    options: { reduceOptions: { calcs: ['lastNotNull'] }, textMode: 'auto', colorMode: 'value' },
  }
}

function chartJson({ unit = 'short', stacked, queries }: Chart): object {
  const custom = stacked ? { fillOpacity: 30, stacking: { mode: 'normal' } } : { fillOpacity: 5 }
  return {
    type: 'timeseries',
    targets: overTime(queries),
    fieldConfig: { defaults: { unit, custom }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  }
}

function tableJson({ by, labels, rows, columns }: Table): object {
  const titles = [[by.label, by.title], ...Object.entries(labels)] as const
  const shown = [...titles.map(([, title]) => title), ...columns.map(({ title }) => title)]
  return {
    type: 'table',
    targets: [rows, ...columns.map(({ expr }) => expr)].map((expr, index) => ({
      ...target(index, expr),
      format: 'table',
      instant: true,
      range: false,
    })),
    transformations: [
      { id: 'merge', options: {} },
      {
        id: 'organize',
        options: {
          excludeByName: { Time: true, [valueColumn(0)]: true },
          renameByName: Object.fromEntries([
            ...titles,
            ...columns.map(({ title }, index) => [valueColumn(index + 1), title]),
          ]),
          indexByName: Object.fromEntries(
            [...titles.map(([label]) => label), ...columns.map((_, index) => valueColumn(index + 1))].map(
              (name, index) => [name, index],
            ),
          ),
        },
      },
    ],
    fieldConfig: {
      defaults: { custom: { align: 'auto', filterable: true } },
      overrides: columns.map((column) => ({
        matcher: { id: 'byName', options: column.title },
        properties: propertiesOf(column),
      })),
    },
    options: {
      frameIndex: 0,
      showHeader: true,
      cellHeight: 'sm',
      sortBy: [{ displayName: shown[0], desc: false }],
    },
  }
}

function propertiesOf(column: Column): object[] {
  const mappings = [
    ...(column.words === undefined ? [] : mappingsOf(column.words)),
    ...(column.otherwise === undefined
      ? []
      : [
          {
            type: 'special',
            options: { match: 'null+nan', result: { text: column.otherwise } },
          },
        ]),
  ]
  const isColoured =
    column.words !== undefined || column.goodFrom !== undefined || column.goodTo !== undefined
  return [
    { id: 'unit', value: column.unit ?? 'short' },
    { id: 'decimals', value: 1 },
    ...(mappings.length === 0 ? [] : [{ id: 'mappings', value: mappings }]),
    { id: 'thresholds', value: thresholdsOf(column) },
    ...(isColoured ? [{ id: 'custom.cellOptions', value: { type: 'color-text' } }] : []),
  ]
}

function timelineJson({ queries, words }: Timeline): object {
  return {
    type: 'state-timeline',
    targets: overTime(queries),
    fieldConfig: {
      defaults: {
        custom: { fillOpacity: 80, lineWidth: 0 },
        color: { mode: 'thresholds' },
        mappings: mappingsOf(words),
      },
      overrides: [],
    },
    options: {
      alignValue: 'left',
      mergeValues: true,
      showValue: 'never',
      rowHeight: 0.9,
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'single' },
    },
  }
}

function heatmapJson({ unit, expr }: Heatmap): object {
  return {
    type: 'heatmap',
    targets: [{ ...target(0, expr), format: 'heatmap', legendFormat: '{{le}}' }],
    fieldConfig: { defaults: {}, overrides: [] },
    options: {
      calculate: false,
      cellGap: 1,
      color: {
        mode: 'scheme',
        scheme: 'Oranges',
        fill: 'dark-orange',
        exponent: 0.5,
        steps: 64,
        reverse: false,
      },
      exemplars: { color: 'rgba(255,0,255,0.7)' },
      filterValues: { le: 1e-9 },
      rowsFrame: { layout: 'auto' },
      showValue: 'never',
      legend: { show: true },
      tooltip: { mode: 'single', yHistogram: true },
      yAxis: { axisPlacement: 'left', unit },
    },
  }
}

function overTime(queries: readonly Query[]): object[] {
  return queries.map(({ expr, legend }, index) => ({ ...target(index, expr), legendFormat: legend }))
}

function target(index: number, expr: string): object {
  return { refId: refIdOf(index), datasource, expr }
}

/** A, B, C. */
function refIdOf(index: number): string {
  return String.fromCodePoint(65 + index)
}

/** Returns the column in which Grafana puts the values of one query when it merges several into a table. */
function valueColumn(index: number): string {
  return `Value #${refIdOf(index)}`
}

function mappingsOf(words: Words): object[] {
  const options = Object.entries(words).map(([value, word], index) => [value, { ...word, index }])
  return [{ type: 'value', options: Object.fromEntries(options) }]
}

function thresholdsOf({ goodFrom, goodTo }: Scale): object {
  if (goodFrom !== undefined) return { mode: 'absolute', steps: [step('red', null), step('green', goodFrom)] }
  if (goodTo !== undefined) return { mode: 'absolute', steps: [step('green', null), step('red', goodTo)] }
  return { mode: 'absolute', steps: [step('text', null)] }
}

function step(color: string, value: number | null): object {
  return { color, value }
}

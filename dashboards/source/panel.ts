/** A panel of a dashboard, by its kind. */
export type Panel = Stat | Chart | Table | Timeline | Heatmap

export interface Common {
  readonly title: string
  /** The panel's "i" shows this text, which says what to look for. */
  readonly description?: string
  /** The number of columns it takes, of 24. By default the width of its kind. */
  readonly width?: number
  /** The pages to which its title links. */
  readonly links?: readonly Link[]
}

/** The unit of a value, as Grafana names it, and the range in which the value is good. */
export interface Scale {
  /** Such as `s`, `bytes`, `reqps`, `percentunit`. */
  readonly unit?: string
  /** Values from which it is green, ascending; below the first it is red. */
  readonly goodFrom?: number
  /** Values up to which it is green. */
  readonly goodTo?: number
}

/** The last value, large. */
export interface Stat extends Common, Scale {
  readonly as: 'stat'
  readonly queries: readonly Query[]
}

/** Values over time. */
export interface Chart extends Common {
  readonly as: 'chart'
  readonly unit?: string
  readonly stacked?: true
  readonly queries: readonly Query[]
}

/** A row for each value of a label, with its present values. */
export interface Table extends Common {
  readonly as: 'table'
  /** The label, and the heading of its column. */
  readonly by: { readonly label: string; readonly title: string }
  /** Further labels of the first query that become columns: label to heading. */
  readonly labels: Readonly<Record<string, string>>
  /** Its labels make the rows; its value is not shown. */
  readonly rows: string
  readonly columns: readonly Column[]
}

export interface Column extends Scale {
  readonly title: string
  readonly expr: string
  /** Stands where there is no value. */
  readonly otherwise?: string
  /** The words that stand for its numbers. */
  readonly words?: Words
}

/** A bar for each series, in the colour of its state. */
export interface Timeline extends Common {
  readonly as: 'timeline'
  readonly queries: readonly Query[]
  readonly words: Words
}

/** Histograms over time: a column for each moment, darker where more values fell. */
export interface Heatmap extends Common {
  readonly as: 'heatmap'
  readonly unit: string
  /** Buckets with their label `le`. */
  readonly expr: string
}

export interface Query {
  readonly expr: string
  /** With labels in double braces. */
  readonly legend: string
}

/** Number to word and colour. */
export type Words = Readonly<Record<number, { readonly text: string; readonly color: 'green' | 'red' }>>

export interface Link {
  readonly title: string
  readonly url: string
}

/** The page of the daemon, below the address that the dashboard's variable `page` has. */
export const pageLink = {
  title: 'Page of the daemon',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana's
  url: '${page:raw}/',
} as const satisfies Link

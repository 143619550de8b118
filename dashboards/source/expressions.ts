import { type Catalogue, prefix } from '../../src/base/telemetry/metric-catalogue.ts'

type Named<Kind extends string> = {
  [Name in keyof Catalogue]: Catalogue[Name]['kind'] extends Kind ? Name : never
}[keyof Catalogue]

/** The daemons that a dashboard shows. */
const chosen = 'instance=~"$instance"'

/** Series of a gauge; `matchers` as `state="reachable"`. */
export function gauge(name: Named<'gauge'>, ...matchers: readonly string[]): string {
  return series(prefix + name, matchers)
}

/** What a counter grows by in a second. */
export function rate(name: Named<'counter'>, ...matchers: readonly string[]): string {
  return rateOf(prefix + name, matchers)
}

/** Returns the growth of a counter in the time that the dashboard shows. */
export function grownBy(name: Named<'counter'>, ...matchers: readonly string[]): string {
  return `increase(${series(prefix + name, matchers)}[$__range])`
}

/** How many values fell into each bucket, between two columns of a heat map. */
export function buckets(name: Named<'histogram'>, ...matchers: readonly string[]): string {
  return `sum by (le) (increase(${series(`${prefix}${name}_bucket`, matchers)}[$__rate_interval]))`
}

/** A quantile of the time that the dashboard shows. */
export function quantileOfRange(share: number, name: Named<'histogram'>, ...by: readonly string[]): string {
  const grown = `increase(${series(`${prefix}${name}_bucket`, [])}[$__range])`
  return `histogram_quantile(${share}, sum by (${['le', ...by].join(', ')}) (${grown}))`
}

export function quantile(
  share: number,
  name: Named<'histogram'>,
  by: readonly string[] = [],
  ...matchers: readonly string[]
): string {
  const buckets = rateOf(`${prefix}${name}_bucket`, matchers)
  return `histogram_quantile(${share}, sum by (${['le', ...by].join(', ')}) (${buckets}))`
}

/** Seconds in a second that pass under this histogram. */
export function busy(name: Named<'histogram'>, ...matchers: readonly string[]): string {
  return rateOf(`${prefix}${name}_sum`, matchers)
}

/** One of Node's own metrics, which have no prefix. */
export function ofProcess(name: `process_${string}` | `nodejs_${string}`): string {
  return series(name, [])
}

export function rateOfProcess(name: `process_${string}_total` | `nodejs_${string}_sum`): string {
  return rateOf(name, [])
}

export function sum(of: string, ...by: readonly string[]): string {
  return by.length === 0 ? `sum(${of})` : `sum by (${by.join(', ')}) (${of})`
}

export function share(part: string, whole: string): string {
  return `${part} / ${whole}`
}

function series(name: string, matchers: readonly string[]): string {
  return `${name}{${[chosen, ...matchers].join(',')}}`
}

function rateOf(name: string, matchers: readonly string[]): string {
  return `rate(${series(name, matchers)}[$__rate_interval])`
}

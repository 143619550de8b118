import type { Metric, OpenMetricsContentType, Registry } from 'prom-client'
import { type Cell, Counter, type Family, Gauge, type Histogram, type InstrumentKind } from './instruments.ts'

/** One value of a metric: one line of `/metrics`. */
export interface Sample {
  /**
   * The name in the line, if it is not the metric's own name: the lines of a histogram are named
   * `..._bucket`, `..._sum` and `..._count`.
   */
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  /** Further labels. Many samples share this object, so that the registry formats it only once. */
  readonly sharedLabels?: Readonly<Record<string, string | number>>
  readonly value: number
}

/** The properties of a metric that prom-client's `Registry` uses. */
export interface Exposed {
  readonly name: string
  readonly help: string
  readonly type: InstrumentKind
  get(): Promise<Omit<Exposed, 'get'> & { readonly values: readonly Sample[] }>
}

export interface Scrape {
  readonly contentType: string
  readonly body: string
}

/** Makes a metric that computes its samples at each scrape. */
export function exposed(name: string, type: InstrumentKind, help: string, samples: () => Sample[]): Exposed {
  return { name, help, type, get: async () => ({ name, help, type, values: samples() }) }
}

export function familySamples<C extends Cell>(name: string, family: Family<C>): Sample[] {
  return [...family.children].flatMap(({ labels, cell }): Sample[] => {
    if (cell instanceof Counter) return [{ labels, value: cell.value }]
    if (cell instanceof Gauge) return cell.value === undefined ? [] : [{ labels, value: cell.value }]
    return histogramSamples(name, labels, cell)
  })
}

/**
 * Returns the samples of a histogram: cumulative buckets up to `+Inf`, then sum and count, as the exposition formats
 * require.
 */
export function histogramSamples(
  name: string,
  labels: Sample['labels'],
  { bounds, counts, sum }: Pick<Histogram, 'bounds' | 'counts' | 'sum'>,
): Sample[] {
  const samples: Sample[] = []
  let count = 0
  counts.forEach((inBucket, index) => {
    count += inBucket
    samples.push({
      metricName: `${name}_bucket`,
      labels: { le: bounds[index] ?? '+Inf' },
      sharedLabels: labels,
      value: count,
    })
  })
  samples.push({ metricName: `${name}_sum`, labels: {}, sharedLabels: labels, value: sum })
  samples.push({ metricName: `${name}_count`, labels: {}, sharedLabels: labels, value: count })
  return samples
}

type Prometheus = typeof import('prom-client')

/** Makes the content of `/metrics`. Loads prom-client at the first scrape. */
export class Exposition {
  readonly #metrics: readonly Exposed[]
  readonly #processMetrics: boolean
  #opened: Promise<{ readonly prometheus: Prometheus; readonly registry: Registry }> | undefined

  /**
   * @param processMetrics whether to add Node's own metrics, without the prefix of this project, from the
   * first scrape on. They observe the whole process and cannot be stopped.
   */
  constructor(metrics: readonly Exposed[], processMetrics: boolean) {
    this.#metrics = metrics
    this.#processMetrics = processMetrics
  }

  /**
   * Returns the samples of all metrics as text.
   * @param accept the request's header `accept`. The format is OpenMetrics if the header names OpenMetrics
   * and does not prefer plain text.
   */
  async scrape(accept = ''): Promise<Scrape> {
    this.#opened ??= this.#open()
    const { prometheus, registry: plain } = await this.#opened
    const registry = prefersOpenMetrics(accept) ? openMetrics(prometheus, plain) : plain
    return { contentType: registry.contentType, body: await registry.metrics() }
  }

  async #open() {
    const prometheus = await import('prom-client')
    const registry = new prometheus.Registry()
    if (this.#processMetrics) prometheus.collectDefaultMetrics({ register: registry })
    for (const name of misnamed) registry.removeSingleMetric(name)
    for (const metric of this.#metrics) registry.registerMetric(asMetric(metric))
    return { prometheus, registry }
  }
}

/**
 * The gauges of prom-client that `/metrics` leaves out: their names end in `_total`, which `promtool check
 * metrics` permits only for counters.
 */
const misnamed = ['handles', 'requests', 'resources'].map((each) => `nodejs_active_${each}_total`)

// When a registry of prom-client writes OpenMetrics, it permanently removes `_total` from the names of its
// counters. Therefore the registry for OpenMetrics gets copies of the metrics, and `plain` keeps the
// originals.
function openMetrics({ Registry }: Prometheus, plain: Registry): Registry<OpenMetricsContentType> {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  for (const metric of plain.getMetricsAsArray() as unknown as Exposed[])
    registry.registerMetric(asMetric(withoutTotal(metric)))
  return registry
}

function withoutTotal(metric: Exposed): Exposed {
  const name = metric.type === 'counter' ? metric.name.replace(/_total$/, '') : metric.name
  return { name, help: metric.help, type: metric.type, get: async () => ({ ...(await metric.get()), name }) }
}

// The type of `registerMetric` requires prom-client's own classes, but the code of `registerMetric` uses only
// the properties in `Exposed`.
function asMetric(metric: Exposed): Metric {
  return metric as unknown as Metric
}

function prefersOpenMetrics(accept: string): boolean {
  const open = quality(accept, 'application/openmetrics-text')
  return open > 0 && open >= quality(accept, 'text/plain')
}

/**
 * Returns the highest weight `q` that an `accept` header gives to exactly this media type (RFC 9110, 12.5.1).
 * Returns 0 if the header does not name the type.
 */
function quality(accept: string, mediaType: string): number {
  const named = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([type]) => type === mediaType)
  return Math.max(
    0,
    ...named.map(([, ...parameters]) => {
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return weight === undefined ? 1 : Number(weight.slice(2)) || 0
    }),
  )
}

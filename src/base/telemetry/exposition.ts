import type { Metric, OpenMetricsContentType, Registry } from 'prom-client'
import { weightsIn } from '../lib/accepted-codings.ts'
import { type Cell, Counter, type Family, Gauge, type Histogram, type InstrumentKind } from './instruments.ts'

export interface Sample {
  /** The lines of a histogram have names of their own: `..._bucket`, `..._sum` and `..._count`. */
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  /** Many samples share this object, so that the registry formats it only once. */
  readonly sharedLabels?: Readonly<Record<string, string | number>>
  readonly value: number
}

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

/** The exposition formats require cumulative buckets up to `+Inf`, then sum and count. */
function histogramSamples(
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

export class Exposition {
  readonly #metrics: readonly Exposed[]
  readonly #processMetrics: boolean
  #opened: Promise<{ readonly prometheus: Prometheus; readonly registry: Registry }> | undefined

  /**
   * @param processMetrics adds Node's own metrics, which observe the whole process and cannot be
   * stopped
   */
  constructor(metrics: readonly Exposed[], processMetrics: boolean) {
    this.#metrics = metrics
    this.#processMetrics = processMetrics
  }

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
 * These gauges are left out: `promtool check metrics` permits names that end in `_total` only for
 * counters.
 */
const misnamed = ['handles', 'requests', 'resources'].map((each) => `nodejs_active_${each}_total`)

// When prom-client writes OpenMetrics, it permanently removes `_total` from the names of counters.
// Therefore the OpenMetrics registry gets copies.
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

// The type requires prom-client's own classes, but `registerMetric` uses only the properties in
// `Exposed`.
function asMetric(metric: Exposed): Metric {
  return metric as unknown as Metric
}

function prefersOpenMetrics(accept: string): boolean {
  const weight = weightsIn(accept)
  const open = weight('application/openmetrics-text')
  return open > 0 && open >= weight('text/plain')
}

import { Exposition, exposed, familySamples, type Scrape } from './exposition.ts'
import { BoundedLabel, Counter, Family, Gauge, Histogram } from './instruments.ts'
import {
  type Catalogue,
  catalogue,
  type Instruments,
  type LabelDomain,
  type MetricRow,
  prefix,
} from './metric-catalogue.ts'

export interface Metrics extends Instruments {
  readonly reads: BoundedLabel
  readonly superValidators: Iterable<string> & Pick<BoundedLabel, 'has'>
  /**
   * Permits metrics to name this super validator. Events of others count as `other`.
   * @returns false if too many are admitted already, or if the name cannot be a label value
   */
  admitSv(name: string, operator?: string): boolean
  removeSv(name: string): void
  admitRoute(id: string): boolean
  scrape(accept?: string): Promise<Scrape>
}

export interface MetricsOptions {
  readonly version: string
  readonly reads: readonly string[]
  readonly processMetrics?: boolean
}

const mostSuperValidators = 256
const mostRoutes = 512
/**
 * A counter with at most this many label combinations starts every combination at 0, so that
 * Prometheus notices the first increase.
 */
const mostZeros = 400

export function createMetrics(options: MetricsOptions): Metrics {
  const known = {
    sv: new BoundedLabel([], mostSuperValidators),
    operator: new BoundedLabel([], mostSuperValidators),
    route: new BoundedLabel([], mostRoutes),
    read: new BoundedLabel(options.reads),
    version: new BoundedLabel([options.version]),
    node: new BoundedLabel([process.version]),
  }
  const families = Object.entries<MetricRow>(catalogue).map(
    ([name, row]) => [name, familyOf(row, known)] as const,
  )
  const instruments = Object.fromEntries(
    families.map(([name, family]) => [name, isBare(name) ? family.with({}) : family]),
  ) as unknown as Instruments
  instruments.build_info.with({ version: options.version, node: process.version }).set(1)

  const own = families.map(([name, family]) => {
    const { kind, help } = catalogue[name as keyof Catalogue]
    return exposed(prefix + name, kind, help, () => familySamples(prefix + name, family))
  })
  const exposition = new Exposition(own, options.processMetrics ?? false)

  return {
    ...instruments,
    reads: known.read,
    superValidators: known.sv,
    admitSv(name, operator) {
      const admitted = known.sv.admit(name)
      if (admitted && operator !== undefined) setOperator(instruments, known.operator, name, operator)
      return admitted
    },
    removeSv(name) {
      known.sv.dismiss(name)
      for (const [, family] of families) family.remove('sv', name)
    },
    admitRoute: (id) => known.route.admit(id),
    scrape: (accept) => exposition.scrape(accept),
  }
}

function setOperator(
  { super_validator_info: info }: Instruments,
  operators: BoundedLabel,
  sv: string,
  operator: string,
): void {
  info.remove('sv', sv)
  const named = new Set([...info.children].map(({ labels }) => labels.operator))
  for (const known of [...operators]) if (!named.has(known)) operators.dismiss(known)
  operators.admit(operator)
  info.with({ sv, operator }).set(1)
}

type KnownValues = Readonly<Record<Extract<LabelDomain, string>, BoundedLabel>>

function familyOf(row: MetricRow, known: KnownValues): Family<Counter | Gauge | Histogram> {
  const labels = Object.entries(row.labels).map(([label, domain]): [string, BoundedLabel] => [
    label,
    typeof domain === 'string' ? known[domain] : new BoundedLabel(domain),
  ])
  const family = new Family(Object.fromEntries(labels), makerOf(row))
  if (row.kind === 'counter' && family.combinations <= mostZeros) family.fill()
  return family
}

function makerOf({ kind, buckets }: MetricRow): () => Counter | Gauge | Histogram {
  if (kind === 'counter') return () => new Counter()
  if (kind === 'gauge') return () => new Gauge()
  return () => new Histogram(buckets)
}

function isBare(name: string): boolean {
  return Object.keys(catalogue[name as keyof Catalogue].labels).length === 0
}

import { type LabelValues, other } from './labels.ts'

export type InstrumentKind = 'counter' | 'gauge' | 'histogram'

/** A number that only grows. */
export class Counter {
  #value = 0

  /** A negative or endless `by` changes nothing. */
  inc(by = 1): void {
    if (by >= 0 && by < Infinity) this.#value += by
  }

  get value(): number {
    return this.#value
  }
}

/** A number that goes up and down. It has no sample until it is set. */
export class Gauge {
  #value: number | undefined
  #read: (() => number | undefined) | undefined

  set(value: number): void {
    this.#value = value
    this.#read = undefined
  }

  /** From now on asks `read` at every scrape; undefined or a throw leaves the sample out. */
  readFrom(read: () => number | undefined): void {
    this.#read = read
  }

  get value(): number | undefined {
    try {
      return this.#read === undefined ? this.#value : this.#read()
    } catch {
      return undefined
    }
  }
}

/** How often which size was seen, in buckets that are fixed from the start. */
export class Histogram {
  /** Upper bounds, ascending, inclusive; a last bucket without a bound follows them. */
  readonly bounds: Float64Array
  /** One number a bucket, the one without a bound last; not cumulative. */
  readonly counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = Float64Array.from(bounds)
    this.counts = new Float64Array(bounds.length + 1)
  }

  /** A negative or endless `value`, or none, changes nothing. */
  observe(value: number): void {
    if (!(value >= 0 && value < Infinity)) return
    const { bounds, counts } = this
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    counts[bucket] = (counts[bucket] as number) + 1
    this.#sum += value
  }

  get sum(): number {
    return this.#sum
  }

  get count(): number {
    return this.counts.reduce((all, count) => all + count, 0)
  }
}

export type Cell = Counter | Gauge | Histogram

export type Labels = Readonly<Record<string, string>>

export interface Child<C extends Cell, L extends Labels> {
  readonly labels: L
  readonly cell: C
}

const mostChildren = 10_000

/**
 * One metric: a cell for each combination of label values. `with` looks a cell up and makes it at its first use; who
 * counts often keeps the cell, and then pays for an addition and nothing else.
 */
export class Family<C extends Cell, L extends Labels = Labels> {
  readonly #labels: readonly (readonly [string, LabelValues])[]
  readonly #make: () => C
  readonly #most: number
  readonly #children = new Map<string, Child<C, L>>()

  constructor(labels: Readonly<Record<string, LabelValues>>, make: () => C, most = mostChildren) {
    this.#labels = Object.entries(labels)
    this.#make = make
    this.#most = most
  }

  /** Values that a label does not know are `other`; so is everything once there are too many combinations. */
  with(labels: L): C {
    let key = ''
    for (const [name, known] of this.#labels) key += `${known.bounded(labels[name] as string)}\0`
    const child = this.#children.get(key)
    if (child !== undefined) return child.cell
    if (this.#children.size < this.#most)
      return this.#add(key, (name, known) => known.bounded(labels[name] as string))
    const rest = `${other}\0`.repeat(this.#labels.length)
    return this.#children.get(rest)?.cell ?? this.#add(rest, () => other)
  }

  get children(): Iterable<Child<C, L>> {
    return this.#children.values()
  }

  /** How many combinations there could be by what the labels know now. */
  get combinations(): number {
    return this.#labels.reduce((product, [, known]) => product * known.size, 1)
  }

  /** Makes a cell for every combination, so that each has a sample before anything happens. */
  fill(): void {
    let all: Record<string, string>[] = [{}]
    for (const [name, known] of this.#labels) {
      all = all.flatMap((labels) => [...known].map((value) => ({ ...labels, [name]: value })))
    }
    for (const labels of all) this.with(labels as L)
  }

  /** Lets go of every cell whose label says this. A cell that somebody kept goes on counting, unseen. */
  remove(label: string, value: string): void {
    for (const [key, { labels }] of this.#children)
      if ((labels as Labels)[label] === value) this.#children.delete(key)
  }

  #add(key: string, said: (name: string, known: LabelValues) => string): C {
    const labels = Object.fromEntries(this.#labels.map(([name, known]) => [name, said(name, known)]))
    const cell = this.#make()
    this.#children.set(key, { labels: labels as L, cell })
    return cell
  }
}

import { type BoundedLabel, other } from './bounded-label.ts'

export type InstrumentKind = 'counter' | 'gauge' | 'histogram'

/** A sum that never decreases. */
export class Counter {
  #value = 0

  /** Adds `by`. Ignores a `by` that is negative or not finite. */
  inc(by = 1): void {
    if (by >= 0 && by < Infinity) this.#value += by
  }

  get value(): number {
    return this.#value
  }
}

/** A value that can increase and decrease. No scrape contains the gauge before its value is set. */
export class Gauge {
  #value: number | undefined
  #read: (() => number | undefined) | undefined

  set(value: number): void {
    this.#value = value
    this.#read = undefined
  }

  /**
   * Makes each later scrape call `read` for the value, until `set` is called. If `read` returns undefined or
   * throws, the scrape omits the gauge.
   */
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

/** Counts values by range. The ranges, called buckets, are fixed. */
export class Histogram {
  /**
   * The upper bounds of the buckets, in ascending order. A value equal to a bound belongs to the bucket of
   * that bound. One more bucket, without an upper bound, follows.
   */
  readonly bounds: Float64Array
  /**
   * The number of values in each bucket; the last element is the bucket without an upper bound. The counts are not
   * cumulative.
   */
  readonly counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = Float64Array.from(bounds)
    this.counts = new Float64Array(bounds.length + 1)
  }

  /** Counts a value. Ignores a `value` that is negative or not finite. */
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
 * All instruments of one metric, one for each combination of label values. `with` finds or creates an
 * instrument. Frequent callers store the instrument, so that they need not look up its labels at every event.
 */
export class Family<C extends Cell, L extends Labels = Labels> {
  readonly #labels: readonly (readonly [string, BoundedLabel])[]
  readonly #make: () => C
  readonly #most: number
  readonly #children = new Map<string, Child<C, L>>()

  constructor(labels: Readonly<Record<string, BoundedLabel>>, make: () => C, most = mostChildren) {
    this.#labels = Object.entries(labels)
    this.#make = make
    this.#most = most
  }

  /**
   * Returns the instrument for these labels, and creates it if necessary. A label value that is not permitted
   * becomes `other`. Once there are too many combinations, all values of a new combination become `other`.
   */
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

  /** The number of combinations that the currently permitted label values allow. */
  get combinations(): number {
    return this.#labels.reduce((product, [, known]) => product * known.size, 1)
  }

  /** Creates an instrument for every combination, so that each is exposed before its first event. */
  fill(): void {
    let all: Record<string, string>[] = [{}]
    for (const [name, known] of this.#labels) {
      all = all.flatMap((labels) => [...known].map((value) => ({ ...labels, [name]: value })))
    }
    for (const labels of all) this.with(labels as L)
  }

  /**
   * Removes every instrument with this label value. A caller that stored such an instrument can still count
   * with it, but no scrape contains that count any more.
   */
  remove(label: string, value: string): void {
    for (const [key, { labels }] of this.#children)
      if ((labels as Labels)[label] === value) this.#children.delete(key)
  }

  #add(key: string, said: (name: string, known: BoundedLabel) => string): C {
    const labels = Object.fromEntries(this.#labels.map(([name, known]) => [name, said(name, known)]))
    const cell = this.#make()
    this.#children.set(key, { labels: labels as L, cell })
    return cell
  }
}

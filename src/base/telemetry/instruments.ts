export type InstrumentKind = 'counter' | 'gauge' | 'histogram'

export class Counter {
  #value = 0

  inc(by = 1): void {
    if (by >= 0 && by < Infinity) this.#value += by
  }

  get value(): number {
    return this.#value
  }
}

/** A scrape leaves the gauge out until its value is set. */
export class Gauge {
  #value: number | undefined
  #read: (() => number | undefined) | undefined

  set(value: number): void {
    this.#value = value
    this.#read = undefined
  }

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

export class Histogram {
  /**
   * A value equal to a bound belongs to the bucket of that bound. One more bucket without a bound
   * follows.
   */
  readonly bounds: Float64Array
  /** The counts are not cumulative. */
  readonly counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = Float64Array.from(bounds)
    this.counts = new Float64Array(bounds.length + 1)
  }

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
}

export type Cell = Counter | Gauge | Histogram

export type Labels = Readonly<Record<string, string>>

export interface Child<C extends Cell, L extends Labels> {
  readonly labels: L
  readonly cell: C
}

const mostChildren = 10_000

/**
 * One instrument for each combination of label values. Frequent callers keep the instrument, so
 * that labels are looked up only once.
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
   * A label value that is not permitted becomes `other`. Once there are too many combinations, a
   * new combination gets `other` for every label.
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

  get combinations(): number {
    return this.#labels.reduce((product, [, known]) => product * known.size, 1)
  }

  fill(): void {
    let all: Record<string, string>[] = [{}]
    for (const [name, known] of this.#labels) {
      all = all.flatMap((labels) => [...known].map((value) => ({ ...labels, [name]: value })))
    }
    for (const labels of all) this.with(labels as L)
  }

  /** Callers may still hold a removed instrument. No scrape shows what they count. */
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

const other = 'other'

const longestValue = 200

/**
 * The permitted values of one label. Metrics show all other values as `other`, so that callers
 * cannot fill the memory with ever new values.
 */
export class BoundedLabel {
  readonly #values: Set<string>
  readonly #most: number

  /**
   * By default, no value can be added later.
   * @param most the maximum number of values, the given ones included
   */
  constructor(values: Iterable<string>, most?: number) {
    this.#values = new Set(values)
    this.#most = most ?? this.#values.size
  }

  has(value: string): boolean {
    return this.#values.has(value)
  }

  bounded(value: string): string {
    return this.#values.has(value) ? value : other
  }

  admit(value: string): boolean {
    if (this.#values.has(value)) return true
    if (this.#values.size >= this.#most || !canStand(value)) return false
    this.#values.add(value)
    return true
  }

  dismiss(value: string): void {
    this.#values.delete(value)
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#values.values()
  }

  get size(): number {
    return this.#values.size
  }
}

function canStand(value: string): boolean {
  return value !== '' && value.length <= longestValue && value.isWellFormed() && !value.includes('\0')
}

/**
 * Calls `make` once for each key that `known` accepts. Results for other keys are not stored, so
 * that callers cannot fill the memory.
 */
export function kept<K, V>(make: (key: K) => V, known: (key: K) => boolean): (key: K) => V {
  const values = new Map<K, V>()
  return (key) => {
    const value = values.get(key)
    if (value !== undefined) return value
    const made = make(key)
    if (known(key)) values.set(key, made)
    return made
  }
}

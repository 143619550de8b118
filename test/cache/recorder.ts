import type { CacheEvents } from '../../src/core/cache/events.ts'

type Told = { [Name in keyof CacheEvents]: [Name, ...Parameters<CacheEvents[Name]>] }[keyof CacheEvents]

export class Recorder implements CacheEvents {
  readonly told: Told[] = []
  #waiting: { readonly wanted: readonly unknown[]; readonly found: () => void }[] = []

  /** Returns how many recorded events begin with `wanted`: a name, and arguments. */
  count(...wanted: readonly unknown[]): number {
    return this.told.filter((told) => matches(told, wanted)).length
  }

  /** Resolves at the next event that begins with `wanted`: a name, and arguments. */
  next(...wanted: readonly unknown[]): Promise<void> {
    return new Promise((found) => this.#waiting.push({ wanted, found }))
  }

  cacheLookup: CacheEvents['cacheLookup'] = (...args) => this.#tell(['cacheLookup', ...args])
  redisUp: CacheEvents['redisUp'] = (...args) => this.#tell(['redisUp', ...args])
  redisRefused: CacheEvents['redisRefused'] = (...args) => this.#tell(['redisRefused', ...args])
  redisFailed: CacheEvents['redisFailed'] = (...args) => this.#tell(['redisFailed', ...args])
  redisSucceeded: CacheEvents['redisSucceeded'] = () => {}
  refreshFailed: CacheEvents['refreshFailed'] = (...args) => this.#tell(['refreshFailed', ...args])
  invalidationsFollowed: CacheEvents['invalidationsFollowed'] = (...args) =>
    this.#tell(['invalidationsFollowed', ...args])
  invalidated: CacheEvents['invalidated'] = (...args) => this.#tell(['invalidated', ...args])

  #tell(told: Told): void {
    this.told.push(told)
    const { now = [], later = [] } = Object.groupBy(this.#waiting, ({ wanted }) =>
      matches(told, wanted) ? 'now' : 'later',
    )
    this.#waiting = later
    for (const { found } of now) found()
  }
}

function matches(told: readonly unknown[], wanted: readonly unknown[]): boolean {
  return wanted.every((value, index) => told[index] === value)
}

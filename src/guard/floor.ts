/**
 * The version of a value that was served for one question. Later answers to that question must not be older.
 * Versions are compared as strings: an older version is less than (`<`) a newer one.
 */
export interface Floor {
  readonly version: string
  /** The time at which the served value stops being true, in milliseconds since 1970. Undefined if it never does. */
  readonly endsAt: number | undefined
}

/** The parts of an agreed answer that show how old it is. */
export type Sighting =
  | { readonly kind: 'value'; readonly version: string | undefined; readonly endsAt: number | undefined }
  /**
   * `after` tells whether an absence is newer or older than a value that was served before. It depends only
   * on the read (`VersionOf.absence`).
   * - `newer`: the read's contracts can be archived at any time, so the absence may be served.
   * - `older`: the read's contracts cannot be archived before the `endsAt` of the value. Until then, an
   *   absence is out of date.
   */
  | { readonly kind: 'absence'; readonly after: 'newer' | 'older' }

/**
 * A floor ends this many milliseconds before its value stops being true. Clocks differ: a scan whose clock is
 * ahead stops returning a name earlier than this machine expects.
 */
const endMarginMs = 60_000

/**
 * True if the floor is still in force.
 * @param wall milliseconds since 1970.
 */
export function holds({ endsAt }: Floor, wall: number): boolean {
  return endsAt === undefined || wall < endsAt - endMarginMs
}

/**
 * True if the answer is older than the floor allows. False if there is no floor, or if the floor has ended.
 */
export function isBelow(sighting: Sighting, floor: Floor | undefined, wall: number): boolean {
  if (floor === undefined || !holds(floor, wall)) return false
  if (sighting.kind === 'absence') return sighting.after === 'older'
  return sighting.version !== undefined && sighting.version < floor.version
}

/** Returns the floor that an answer sets when it is served. Undefined if the answer does not show how old it is. */
export function floorOf(sighting: Sighting): Floor | undefined {
  if (sighting.kind === 'absence' || sighting.version === undefined) return undefined
  return { version: sighting.version, endsAt: sighting.endsAt }
}

/**
 * Returns the floor with the later version, or `later` if `former` has ended. If the versions are equal, returns
 * `later`, so that its `endsAt` applies.
 */
export function higher(former: Floor | undefined, later: Floor, wall: number): Floor {
  if (former === undefined || !holds(former, wall)) return later
  return later.version < former.version ? former : later
}

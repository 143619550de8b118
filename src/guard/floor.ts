/**
 * The version of a value that was served for one question. No later answer to that question may be older. Versions
 * sort by plain `<`.
 */
export interface Floor {
  readonly version: string
  /** The time at which the served value stops being true, in milliseconds since 1970. Undefined if it never does. */
  readonly endsAt: number | undefined
}

/** The age of an agreed answer, as far as the answer itself tells it. */
export type Sighting =
  | { readonly kind: 'value'; readonly version: string | undefined; readonly endsAt: number | undefined }
  /**
   * `newer`: the value may have been archived meanwhile. `older`: the absence is out of date, because a value cannot
   * be archived before it ends (`VersionOf.absence`).
   */
  | { readonly kind: 'absence'; readonly after: 'newer' | 'older' }

/**
 * A floor ends this long before its value does, because clocks differ: a scan whose clock is ahead drops a name
 * earlier than this machine expects.
 */
const endMarginMs = 60_000

/**
 * Whether the floor is still in force.
 * @param wall milliseconds since 1970.
 */
export function holds({ endsAt }: Floor, wall: number): boolean {
  return endsAt === undefined || wall < endsAt - endMarginMs
}

/** Whether the answer is older than the floor allows. */
export function isBelow(sighting: Sighting, floor: Floor | undefined, wall: number): boolean {
  if (floor === undefined || !holds(floor, wall)) return false
  if (sighting.kind === 'absence') return sighting.after === 'older'
  return sighting.version !== undefined && sighting.version < floor.version
}

/** Returns the floor that a served answer sets. Undefined if the answer does not say how old it is. */
export function floorOf(sighting: Sighting): Floor | undefined {
  if (sighting.kind === 'absence' || sighting.version === undefined) return undefined
  return { version: sighting.version, endsAt: sighting.endsAt }
}

/**
 * Returns the higher of two floors, or `later` if `former` has ended. Of two equal versions `later` wins, so that its
 * `endsAt` applies.
 */
export function higher(former: Floor | undefined, later: Floor, wall: number): Floor {
  if (former === undefined || !holds(former, wall)) return later
  return later.version < former.version ? former : later
}

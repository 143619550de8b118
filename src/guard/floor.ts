/**
 * The age that answers to one question must reach: a value that was served before has this version. Versions sort
 * by plain `<`.
 */
export interface Floor {
  readonly version: string
  /** When the served value stopped, or stops, being true: milliseconds since 1970. Undefined if it never does. */
  readonly endsAt: number | undefined
}

/** The age of an agreed answer, as the answer itself tells it. */
export type Sighting =
  | { readonly kind: 'value'; readonly version: string | undefined; readonly endsAt: number | undefined }
  /** `older`: the value cannot have gone before it ends (`VersionOf.absence`). */
  | { readonly kind: 'absence'; readonly after: 'newer' | 'older' }

/**
 * A floor goes this long before its value ends, because clocks differ: scans whose clocks are ahead drop a name
 * earlier than this machine expects.
 */
const endMarginMs = 60_000

/** Whether the floor still applies. */
export function holds({ endsAt }: Floor, wall: number): boolean {
  return endsAt === undefined || wall < endsAt - endMarginMs
}

/** Whether the answer is older than what the floor stands for. */
export function isBelow(sighting: Sighting, floor: Floor | undefined, wall: number): boolean {
  if (floor === undefined || !holds(floor, wall)) return false
  if (sighting.kind === 'absence') return sighting.after === 'older'
  return sighting.version !== undefined && sighting.version < floor.version
}

/** Returns the floor that a served answer makes; undefined if it says nothing about its age. */
export function floorOf(sighting: Sighting): Floor | undefined {
  if (sighting.kind === 'absence' || sighting.version === undefined) return undefined
  return { version: sighting.version, endsAt: sighting.endsAt }
}

/**
 * Returns the higher of two floors, without those that do not apply any more. Equal versions count as the later one,
 * so that its end applies.
 */
export function higher(former: Floor | undefined, later: Floor, wall: number): Floor {
  if (former === undefined || !holds(former, wall)) return later
  return later.version < former.version ? former : later
}

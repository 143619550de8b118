/**
 * The version of the newest answer that was served to one question. Later answers must not be
 * older.
 * Versions compare as strings: an older version is `<` a newer one.
 */
export interface Floor {
  readonly version: string
  /**
   * The served value stops being true at this time: milliseconds since 1970. Undefined if it never
   * does.
   */
  readonly endsAt: number | undefined
}

/** The parts of an agreed answer that show how old the answer is. */
export type Sighting =
  | { readonly kind: 'value'; readonly version: string | undefined; readonly endsAt: number | undefined }
  /**
   * `after` says whether an absence is newer or older than a value that was served before. With
   * `older`, the contract cannot have been archived before the `endsAt` of that value. The absence
   * is therefore out of date until then.
   */
  | { readonly kind: 'absence'; readonly after: 'newer' | 'older' }

/**
 * A floor ends this long before its `endsAt`: a scan with a fast clock stops returning a name that
 * early.
 */
export const endMarginMs = 60_000

export function isInForce({ endsAt }: Floor, wall: number): boolean {
  return endsAt === undefined || wall < endsAt - endMarginMs
}

export function isBelow(sighting: Sighting, floor: Floor | undefined, wall: number): boolean {
  if (floor === undefined || !isInForce(floor, wall)) return false
  if (sighting.kind === 'absence') return sighting.after === 'older'
  return sighting.version !== undefined && sighting.version < floor.version
}

export function floorOf(sighting: Sighting): Floor | undefined {
  if (sighting.kind === 'absence' || sighting.version === undefined) return undefined
  return { version: sighting.version, endsAt: sighting.endsAt }
}

/**
 * Returns `former` if it is in force and has a newer version than `later`; otherwise returns
 * `later`. If both versions are equal, the `endsAt` of `later` therefore applies.
 */
export function higher(former: Floor | undefined, later: Floor, wall: number): Floor {
  if (former === undefined || !isInForce(former, wall)) return later
  return later.version < former.version ? former : later
}

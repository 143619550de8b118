/** The releases of Splice with which this daemon was tried: the first, and the last. */
export const oldestKnown = '0.7.5'
export const newestKnown = '0.9.1'

interface Span {
  /** The first release that has it. Absent if all known releases begin with it. */
  readonly since?: string
  /** The first release without it. */
  readonly until?: string
}

/** The paths of the Scan API that only some of the known releases have. */
export const pathsOfSomeReleases: Readonly<Record<string, Span>> = {
  '/v0/state/acs': { until: '0.9.0' },
  '/v1/state/acs': { until: '0.9.0' },
  '/v0/holdings/state': { until: '0.9.0' },
  '/v1/holdings/state': { until: '0.9.0' },
  '/v0/events/latest-record-time': { since: '0.9.0' },
  '/v0/history/bulk/progress': { since: '0.9.0' },
}

const longestRelease = 64

/**
 * Returns what a scan says its release is, if that is text which can be shown to people: a version
 * of at most 64 characters, such as `0.9.0-snapshot.20261007.1`. Any other text is undefined.
 */
export function releaseIn(said: unknown): string | undefined {
  return typeof said === 'string' && numbersOf(said) !== undefined ? said : undefined
}

export type ReleaseStanding = 'known' | 'newer' | 'older' | 'unknown'

/** Says how a release compares with those that this daemon knows. */
export function standingOf(release: string | undefined): ReleaseStanding {
  if (release === undefined || numbersOf(release) === undefined) return 'unknown'
  if (compareReleases(release, newestKnown) > 0) return 'newer'
  return compareReleases(release, oldestKnown) < 0 ? 'older' : 'known'
}

/**
 * Compares two releases like semantic versions: negative if the first is older. All pre-releases of
 * a version are equal, and older than that version. A text that is no release is older than every
 * release.
 */
export function compareReleases(one: string, other: string): number {
  const left = numbersOf(one) ?? []
  const right = numbersOf(other) ?? []
  for (let index = 0; index < 4; index++) {
    const difference = (left[index] ?? -1) - (right[index] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

const form = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})([-+][0-9A-Za-z.+-]+)?$/

/** The three numbers, and 0 for a pre-release or 1 for a release. */
function numbersOf(release: string): readonly number[] | undefined {
  if (release.length > longestRelease) return undefined
  const [, major, minor, patch, rest] = form.exec(release) ?? []
  if (major === undefined) return undefined
  return [Number(major), Number(minor), Number(patch), rest?.startsWith('-') ? 0 : 1]
}

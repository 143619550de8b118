/** The releases of Splice with which this daemon was tried: the first, and the last. */
export const oldestKnown = '0.7.5'
export const newestKnown = '0.9.1'

interface ReleaseSpan {
  /** The first release that has it. Absent if all known releases begin with it. */
  readonly since?: string
  /** The first release without it. */
  readonly until?: string
}

/** The paths of the Scan API that only some of the known releases have. */
export const pathsOfSomeReleases: Readonly<Record<string, ReleaseSpan>> = {
  '/v0/state/acs': { until: '0.9.0' },
  '/v1/state/acs': { until: '0.9.0' },
  '/v0/holdings/state': { until: '0.9.0' },
  '/v1/holdings/state': { until: '0.9.0' },
  '/v0/events/latest-record-time': { since: '0.9.0' },
  '/v0/history/bulk/progress': { since: '0.9.0' },
}

/**
 * Members of replies that differ between honest scans, because releases before another one lack
 * them, or because each scan fills them in by itself. They take no part in the vote: the daemon
 * serves the constant, whatever the scans say (quorum.md#members-that-are-not-voted-on).
 */
export const membersWithoutVote = {
  /** Of updates. The text is the one that Splice has in place of the offsets of participants. */
  offset: '000000000000000001',
  finalization_time: '1970-01-01T00:00:00Z',
  /** Of verdicts, since 0.9.0. Also null of verdicts that a scan ingested before that. */
  round_number: null,
  /** Empty in verdicts that a scan ingested before its release had hashes. */
  view_hash: '',
  traffic_summary: null,
  app_activity_records: null,
} as const

const longestRelease = 64
const mostShown = 3

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
 * Returns the reason why scans of these releases may not know a path, as the second half of a
 * sentence. A release is undefined where the scan names none.
 */
export function whyPathUnknown(path: string, releases: readonly (string | undefined)[]): string {
  const { since, until } = pathsOfSomeReleases[path] ?? {}
  const causeOf = (release: string | undefined) => {
    const standing = standingOf(release)
    if (release === undefined || standing === 'unknown') return 'unknown'
    if (compareReleases(release, since ?? oldestKnown) < 0) return 'older'
    if (until !== undefined && compareReleases(release, until) >= 0) return 'gone'
    return standing === 'newer' ? 'newer' : 'none'
  }
  const causes = releases.map(causeOf)
  const of = (cause: string) => releases.filter((_, index) => causes[index] === cause)
  const [cause = 'unknown'] = causes.toSorted((one, other) => of(other).length - of(one).length)
  const shown = [...new Set(of(cause))].slice(0, mostShown).join(', ')
  switch (cause) {
    case 'newer':
      return `they may be of a newer Splice than this daemon (${shown}; newest known ${newestKnown})`
    case 'gone':
      return `they may be of a newer Splice, which has not had it since ${until} (${shown}; newest known ${newestKnown})`
    case 'older':
      return since === undefined
        ? `they may be of an older Splice than this daemon (${shown}; oldest known ${oldestKnown})`
        : `they may be of an older Splice (${shown}); it came with ${since}`
    case 'none':
      return `their Splice (${shown}) should have it`
    default:
      return `their releases are not known (known to this daemon: ${oldestKnown} to ${newestKnown})`
  }
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

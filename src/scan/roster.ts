import { claimsHost } from '../config/operators.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { type Electorate, electorateOf, type Voter } from '../quorum/electorate.ts'
import { type ThresholdRule, tolerated } from '../quorum/threshold.ts'
import { placeOf, type ScanOrigin } from './origin.ts'

/** A super validator in the agreed list. */
export interface Member {
  readonly name: string
  /** The URLs that it published. One usable URL is enough; the list may contain none. */
  readonly urls: readonly string[]
}

/** The data that the seeds, and later the members, must agree on. */
export interface RosterSet {
  readonly dso: string
  /** The active synchronizer. */
  readonly synchronizer: string
  /** Sorted by name, without duplicates. */
  readonly members: readonly Member[]
}

/** Makes a set of the configured seeds, each named by its host, for when no list of super validators is known. */
export function seedsAsSet(seeds: readonly string[], dso = ''): RosterSet {
  const members = seeds.map((seed) => ({ name: placeOf(seed)?.host ?? seed, urls: [seed] }))
  return { dso, synchronizer: '', members }
}

/** For `bft-custom`: keeps only the named super validators, and adds unpublished ones without a URL. */
export function trustedPart(set: RosterSet, { mode }: Trust, svNames: readonly string[]): RosterSet {
  if (mode !== 'bft-custom') return set
  const members = svNames.map((name) => ({
    name,
    urls: set.members.find((member) => member.name === name)?.urls ?? [],
  }))
  return { ...set, members }
}

/** The parts of the configuration that define which super validators are trusted, and how far. */
export interface Trust {
  readonly mode: 'bft' | 'bft-custom' | 'trust-single'
  readonly threshold: ThresholdRule
  /** The thresholds of reads with their own, by read id. Any other read uses `threshold`. */
  readonly thresholds: Readonly<Record<string, ThresholdRule>>
  /** Maps an operator to names of super validators, scan hosts, or host suffixes that begin with a dot. */
  readonly operators: Readonly<Record<string, readonly string[]>>
}

export interface RosterVoter extends Voter {
  /** The scan to ask for it. Undefined if none of its published URLs can be asked. */
  readonly place: ScanOrigin | undefined
}

/**
 * Increment it with every change of what an answer means, so that daemons of two releases do not share
 * answers.
 */
const formatVersion = 2

/** A configured threshold below f+1 or above n. */
export interface UnsafeThreshold {
  readonly option: string
  readonly threshold: number
  /** f+1: the least threshold at which answers are protected. */
  readonly least: number
  /** n */
  readonly voters: number
}

/** The voters and their thresholds. Immutable: each refresh creates a new roster. */
export class Roster {
  readonly set: RosterSet
  readonly voters: readonly RosterVoter[]
  /** A hash that is the same for all daemons that may share answers (quorum.md#cache-keys). */
  readonly trustDigest: string
  /** Configured members of `operators` that match no super validator. */
  readonly unmatchedOperators: readonly string[]
  readonly #general: Electorate
  readonly #byRead: ReadonlyMap<string, Electorate>
  readonly #mode: Trust['mode']
  /** The number of distinct operators; undefined if none are configured. */
  readonly #distinct: number | undefined

  constructor(set: RosterSet, trust: Trust) {
    const operators = new Operators(trust.operators)
    this.set = set
    this.voters = votersOf(set.members, operators)
    this.unmatchedOperators = operators.unmatched
    this.#mode = trust.mode
    const distinct = operators.configured ? operators.distinct : undefined
    this.#distinct = distinct
    this.#general = electorateOf(this.voters, trust.threshold, distinct)
    this.#byRead = new Map(
      Object.entries(trust.thresholds).map(([read, rule]) => [
        read,
        electorateOf(this.voters, rule, distinct),
      ]),
    )
    this.trustDigest = digest(
      canonicalJson({
        format: formatVersion,
        dso: set.dso,
        synchronizer: set.synchronizer,
        mode: trust.mode,
        voters: this.voters.map(({ names, operator, place }) => [[...names], operator, place?.url ?? '']),
        thresholds: [
          thresholdsOf(this.#general),
          ...[...this.#byRead].sort().map(([read, electorate]) => [read, ...thresholdsOf(electorate)]),
        ],
      }),
    )
  }

  /** n: the number of super validators, reachable or not. Not the number of voters. */
  get size(): number {
    return this.set.members.length
  }

  electorate(read?: string): Electorate {
    return (read === undefined ? undefined : this.#byRead.get(read)) ?? this.#general
  }

  /** Like `electorate`, but with the threshold `2f+1` unless the configured one is higher. */
  strictElectorate(read?: string): Electorate {
    const usual = this.electorate(read)
    const strict = electorateOf(this.voters, '2f+1', this.#distinct)
    return strict.superValidators.threshold > usual.superValidators.threshold ? strict : usual
  }

  /** The thresholds that the tolerated number of liars can meet, or that the whole roster cannot. */
  unsafeThresholds(): readonly UnsafeThreshold[] {
    if (this.#mode === 'trust-single') return []
    return [undefined, ...this.#byRead.keys()].flatMap((read) => {
      const { n, f, threshold } = this.electorate(read).superValidators
      if (threshold > f && threshold <= n) return []
      const option = read === undefined ? 'scanClient.threshold' : `scanClient.thresholds.${read}`
      return { option, threshold, least: f + 1, voters: n }
    })
  }

  /**
   * Whether f faulty super validators cannot make up an answer. False for a threshold below f+1, for f = 0
   * and for `trust-single` (quorum.md#loud-when-unprotected).
   */
  isProtected(read?: string): boolean {
    const { f, threshold } = this.electorate(read).superValidators
    return this.#mode !== 'trust-single' && f > 0 && threshold >= f + 1
  }
}

/** The display name of a voter's operator: the configured name, or else the super validator's. */
export function operatorName({ operator }: Voter): string {
  return operator.replace(/^(?:super validator|operator) /, '')
}

/** Serialises a set as canonical JSON. Equal sets have equal texts, so votes on a roster compare the text. */
export function canonicalOf({ dso, synchronizer, members }: RosterSet): string {
  return canonicalJson({ dso, synchronizer, members: members.map(({ name, urls }) => [name, [...urls]]) })
}

/**
 * Whether a new set replaces the current one only after two refreshes in a row return it
 * (quorum.md#refreshes).
 */
export function isDrastic(current: RosterSet, next: RosterSet): boolean {
  const n = current.members.length
  const names = new Set(next.members.map((member) => member.name))
  const shared = current.members.filter((member) => names.has(member.name)).length
  return tolerated(next.members.length) < tolerated(n) || shared < n - tolerated(n)
}

function thresholdsOf({ superValidators, operators }: Electorate): [number, number] {
  return [superValidators.threshold, operators?.threshold ?? 0]
}

interface Asked {
  readonly name: string
  readonly operator: string
  readonly place: ScanOrigin | undefined
}

/**
 * Members share one vote if the daemon asks them at the same origin. A member with several URLs is still one
 * voter. Only the URL that the daemon asks counts here, so a member cannot take another's vote by listing its
 * origin.
 */
function votersOf(members: readonly Member[], operators: Operators): readonly RosterVoter[] {
  const asked = members.map(({ name, urls }): Asked => {
    const places = urls.map(placeOf).filter((place) => place !== undefined)
    const [place] = places.sort((a, b) => compare(a.url, b.url))
    return { name, operator: operators.of(name, place), place }
  })
  const groups = Map.groupBy(asked, ({ name, place }) => place?.origin ?? `nowhere ${name}`)
  return [...groups.values()].map(voterOf).sort((a, b) => compare(a.names[0] as string, b.names[0] as string))
}

function voterOf(group: readonly Asked[]): RosterVoter {
  const places = group.flatMap(({ place }) => place ?? [])
  return {
    names: group.map(({ name }) => name).sort(compare),
    operator: group.map(({ operator }) => operator).sort(compare)[0] as string,
    place: places.sort((a, b) => compare(a.url, b.url))[0],
  }
}

/**
 * Maps a super validator to its operator. An unclaimed super validator is its own operator
 * (quorum.md#operators-count-too).
 */
class Operators {
  readonly #claims: readonly { readonly operator: string; readonly member: string }[]
  readonly #matched = new Set<string>()
  readonly #seen = new Set<string>()

  constructor(operators: Trust['operators']) {
    this.#claims = Object.entries(operators).flatMap(([operator, members]) =>
      members.map((member) => ({ operator, member })),
    )
  }

  get configured(): boolean {
    return this.#claims.length > 0
  }

  /** The number of distinct operators of all super validators passed to `of` so far. */
  get distinct(): number {
    return this.#seen.size
  }

  get unmatched(): readonly string[] {
    return this.#claims.map(({ member }) => member).filter((member) => !this.#matched.has(member))
  }

  /**
   * Returns the operator of a super validator.
   * @param place the URL that the daemon asks. Other URLs in the published list do not count for claims by
   * host.
   */
  of(name: string, place: ScanOrigin | undefined): string {
    const claims = this.#claims.filter(
      ({ member }) => member === name || (place !== undefined && claimsHost(member, place.host)),
    )
    for (const { member } of claims) this.#matched.add(member)
    const operator = claims[0] === undefined ? `super validator ${name}` : `operator ${claims[0].operator}`
    this.#seen.add(operator)
    return operator
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

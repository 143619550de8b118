import { claimsHost } from '../config/operators.ts'
import { byName } from '../lib/by-name.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { type ThresholdRule, tolerated } from '../lib/threshold.ts'
import { type Electorate, electorateOf, type Voter } from '../quorum/electorate.ts'
import { placeOf, type ScanOrigin } from './origin.ts'

export interface Member {
  readonly name: string
  /**
   * The URLs that the super validator published. The daemon asks only one of them
   * (`RosterVoter.place`). The list may contain no URL that can be asked.
   */
  readonly urls: readonly string[]
}

/** The part of a roster on which the seeds, and later the members, must agree. */
export interface RosterSet {
  /** The DSO's party id. Empty if the set was made from seeds and no DSO is configured. */
  readonly dso: string
  readonly synchronizer: string
  /** In an agreed roster, the members are sorted by name, without duplicates. */
  readonly members: readonly Member[]
}

/**
 * Makes a set in which each seed is a member. The member's name is the seed's `host:port`, or its
 * URL if the daemon cannot use the URL. The set serves to count the votes of the seeds; if discovery
 * is off, it is the roster.
 */
export function seedsAsSet(seeds: readonly string[], dso = ''): RosterSet {
  const members = seeds.map((seed) => ({ name: placeOf(seed)?.host ?? seed, urls: [seed] }))
  return { dso, synchronizer: '', members }
}

/**
 * Returns the set of the trusted members: all members of `set`, or in the mode `bft-custom` one for
 * each name in `svNames`. A name that `set` lacks becomes a member without URLs.
 */
export function trustedPart(set: RosterSet, { mode }: Trust, svNames: readonly string[]): RosterSet {
  if (mode !== 'bft-custom') return set
  const members = svNames.map((name) => ({
    name,
    urls: set.members.find((member) => member.name === name)?.urls ?? [],
  }))
  return { ...set, members }
}

export interface Trust {
  readonly mode: 'bft' | 'bft-custom' | 'trust-single'
  readonly threshold: ThresholdRule
  readonly thresholds: Readonly<Record<string, ThresholdRule>>
  /**
   * The super validators of each operator, by the operator's name. An entry is the name of a super
   * validator, the host of a scan, or a host suffix that begins with a dot.
   */
  readonly operators: Readonly<Record<string, readonly string[]>>
}

export interface RosterVoter extends Voter {
  readonly configuredOperator: string | null
  /** The address at which the daemon asks the voter. Undefined if no published URL can be asked. */
  readonly place: ScanOrigin | undefined
  /**
   * The other addresses of super validators that share the vote: the same origin, with other base
   * paths. The daemon asks at one of them while no scan answers at `place`.
   */
  readonly otherPlaces: readonly ScanOrigin[]
}

/**
 * A version number in the trust digest. Increment it with every change of what an answer means, so
 * that daemons of different releases do not share answers through Redis.
 */
const formatVersion = 3

export interface UnsafeThreshold {
  readonly option: string
  readonly threshold: number
  readonly least: number
  /** The number of votes. It is lower than n if super validators share a vote. */
  readonly voters: number
}

/** Returns a sentence for each threshold that is above the number of votes. */
export function outOfReach(unsafe: readonly UnsafeThreshold[]): readonly string[] {
  return unsafe
    .filter(({ threshold, voters }) => threshold > voters)
    .map(
      ({ option, threshold, voters }) =>
        `${option} must be at most the number of votes in the roster, ${voters}, not ${threshold}`,
    )
}

/**
 * The super validators that vote, with their thresholds. A roster is immutable: each refresh
 * creates a new one.
 */
export class Roster {
  readonly set: RosterSet
  readonly voters: readonly RosterVoter[]
  /**
   * A hash of what an answer rests on; it is the same for all daemons that may share answers
   * (quorum.md#cache-keys). URLs, and what follows from them alone, are no part of it: a super
   * validator that moves must not empty caches.
   */
  readonly trustDigest: string
  readonly unmatchedOperators: readonly string[]
  readonly #general: Electorate
  readonly #byRead: ReadonlyMap<string, Electorate>
  readonly #mode: Trust['mode']
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
        names: set.members.map(({ name }) => name).sort(compare),
        operators: Object.fromEntries(
          Object.entries(trust.operators).map(([operator, members]) => [operator, members.toSorted(compare)]),
        ),
        thresholds: [
          thresholdsOf(this.#general),
          ...[...this.#byRead].sort().map(([read, electorate]) => [read, ...thresholdsOf(electorate)]),
        ],
      }),
    )
  }

  /**
   * n: the number of super validators, reachable or not. The number of voters may be lower, because
   * several super validators may share one vote.
   */
  get size(): number {
    return this.set.members.length
  }

  electorate(read?: string): Electorate {
    return (read === undefined ? undefined : this.#byRead.get(read)) ?? this.#general
  }

  strictElectorate(read?: string): Electorate {
    const usual = this.electorate(read)
    const strict = electorateOf(this.voters, '2f+1', this.#distinct)
    return strict.superValidators.threshold > usual.superValidators.threshold ? strict : usual
  }

  /**
   * Returns the configured thresholds that are unsafe. Below f+1, f liars alone reach the
   * threshold; above the number of votes, no answer reaches it.
   */
  unsafeThresholds(): readonly UnsafeThreshold[] {
    if (this.#mode === 'trust-single') return []
    return [undefined, ...this.#byRead.keys()].flatMap((read) => {
      const { f, threshold } = this.electorate(read).superValidators
      const votes = this.voters.length
      if (threshold > f && threshold <= votes) return []
      const option = read === undefined ? 'scanClient.threshold' : `scanClient.thresholds.${read}`
      return { option, threshold, least: f + 1, voters: votes }
    })
  }

  /**
   * Whether an answer needs more votes than f faulty super validators have. Always false for f = 0
   * and in the mode `trust-single` (quorum.md#loud-when-unprotected).
   */
  isProtected(read?: string): boolean {
    return this.protects(this.electorate(read))
  }

  protects({ superValidators: { f, threshold } }: Electorate): boolean {
    return this.#mode !== 'trust-single' && f > 0 && threshold >= f + 1
  }
}

export function operatorName({ operator }: Pick<Voter, 'operator'>): string {
  return operator.replace(/^(?:super validator|operator) /, '')
}

/**
 * Returns the canonical JSON of a set, which is the vote in a poll for the roster: two sets have the
 * same canonical JSON only if they are equal.
 */
export function canonicalOf({ dso, synchronizer, members }: RosterSet): string {
  return canonicalJson({ dso, synchronizer, members: members.map(({ name, urls }) => [name, [...urls]]) })
}

/**
 * Whether a new roster differs drastically from the current one (quorum.md#refreshes). The daemon
 * then adopts the new roster only if two refreshes in a row return it.
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

interface PlacedMember {
  readonly name: string
  readonly operator: string
  readonly place: ScanOrigin | undefined
}

/**
 * Returns the voters of a roster. The daemon asks each member at the usable URL that sorts first.
 * Members that the daemon asks at the same origin are one voter, also if their paths differ.
 */
function votersOf(members: readonly Member[], operators: Operators): readonly RosterVoter[] {
  const asked = members.map(({ name, urls }): PlacedMember => {
    const places = urls.map(placeOf).filter((place) => place !== undefined)
    const [place] = places.sort((a, b) => compare(a.url, b.url))
    return { name, operator: operators.of(name, place), place }
  })
  const groups = Map.groupBy(asked, ({ name, place }) => place?.origin ?? `nowhere ${name}`)
  return [...groups.values()].map(voterOf).sort((a, b) => byName(a.names[0] as string, b.names[0] as string))
}

function voterOf(group: readonly PlacedMember[]): RosterVoter {
  const byUrl = new Map(group.flatMap(({ place }) => (place === undefined ? [] : [[place.url, place]])))
  const [place, ...otherPlaces] = [...byUrl.values()].sort((a, b) => compare(a.url, b.url))
  const operator = group.map((member) => member.operator).sort(compare)[0] as string
  return {
    names: group.map(({ name }) => name).sort(byName),
    operator,
    configuredOperator: /^operator (.*)$/s.exec(operator)?.[1] ?? null,
    place,
    otherPlaces,
  }
}

/** Returns the addresses of a voter, the one to prefer first. */
export function placesOf({ place, otherPlaces }: RosterVoter): readonly ScanOrigin[] {
  return place === undefined ? [] : [place, ...otherPlaces]
}

/**
 * Finds the operator of each super validator. A super validator that no configured operator claims
 * is its own operator (quorum.md#operators-count-too).
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

  get distinct(): number {
    return this.#seen.size
  }

  get unmatched(): readonly string[] {
    return this.#claims.map(({ member }) => member).filter((member) => !this.#matched.has(member))
  }

  /**
   * @param place the address at which the daemon asks the super validator. A configured host is
   * compared with this address only, and not with the other published URLs.
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

/**
 * Returns the voters that decide about the roster itself. A threshold above the number of voters is
 * lowered to that number, but not below f+1, so that the roster can still grow.
 */
export function rosterDecidingElectorate(roster: Roster): Electorate {
  const electorate = roster.electorate()
  const { superValidators, voters } = electorate
  const threshold = Math.max(superValidators.f + 1, voters.length)
  if (superValidators.threshold <= threshold) return electorate
  return { ...electorate, superValidators: { ...superValidators, threshold } }
}

export function seedElectorate(seeds: readonly string[], trust: Trust): Electorate {
  const seedTrust: Trust = { ...trust, threshold: 'f+1', thresholds: {} }
  return new Roster(seedsAsSet(seeds), seedTrust).electorate()
}

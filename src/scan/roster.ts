import { claimsHost } from '../config/operators.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { type Electorate, electorateOf, type Voter } from '../quorum/electorate.ts'
import { type ThresholdRule, tolerated } from '../quorum/threshold.ts'
import { placeOf, type ScanOrigin } from './origin.ts'

/** A super validator that the agreed list names. */
export interface Member {
  readonly name: string
  /** As published; one of them is enough, and none may be usable. */
  readonly urls: readonly string[]
}

/** What the seeds, and later the members, have to agree on. */
export interface RosterSet {
  readonly dso: string
  /** The active synchronizer. */
  readonly synchronizer: string
  /** By name, each once. */
  readonly members: readonly Member[]
}

/** The parts of the configuration that say who is trusted, and how far. */
export interface Trust {
  readonly mode: 'bft' | 'bft-custom' | 'trust-single'
  readonly threshold: ThresholdRule
  /** By read id; a read that is not named uses `threshold`. */
  readonly thresholds: Readonly<Record<string, ThresholdRule>>
  /** Operator to super validators' names, scan hosts, or host suffixes that begin with a dot. */
  readonly operators: Readonly<Record<string, readonly string[]>>
}

export interface RosterVoter extends Voter {
  /** Undefined where nothing it publishes can be asked. */
  readonly place: ScanOrigin | undefined
}

/** Raised with every change of what an answer means, so that daemons of two releases do not share answers. */
const formatVersion = 2

/** Who votes from now on. Immutable: a refresh makes a new one. */
export class Roster {
  readonly set: RosterSet
  readonly voters: readonly RosterVoter[]
  /** The same for all daemons that may share answers (quorum.md#cache-keys). */
  readonly trustDigest: string
  /** Members of `operators` that match no super validator. */
  readonly unmatchedOperators: readonly string[]
  readonly #general: Electorate
  readonly #byRead: ReadonlyMap<string, Electorate>
  readonly #mode: Trust['mode']

  constructor(set: RosterSet, trust: Trust) {
    const operators = new Operators(trust.operators)
    this.set = set
    this.voters = votersOf(set.members, operators)
    this.unmatchedOperators = operators.unmatched
    this.#mode = trust.mode
    const distinct = operators.configured ? operators.distinct : undefined
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

  /** n: every name, reachable or not. */
  get size(): number {
    return this.set.members.length
  }

  electorate(read?: string): Electorate {
    return (read === undefined ? undefined : this.#byRead.get(read)) ?? this.#general
  }

  /** False below f+1, at f = 0 and for `trust-single` (quorum.md#loud-when-unprotected). */
  isProtected(read?: string): boolean {
    const { f, threshold } = this.electorate(read).superValidators
    return this.#mode !== 'trust-single' && f > 0 && threshold >= f + 1
  }
}

/** What people call the operator of a voter: as configured, or the super validator itself. */
export function operatorName({ operator }: Voter): string {
  return operator.replace(/^(?:super validator|operator) /, '')
}

/** Equal exactly for equal sets: what votes on a roster compare. */
export function canonicalOf({ dso, synchronizer, members }: RosterSet): string {
  return canonicalJson({ dso, synchronizer, members: members.map(({ name, urls }) => [name, [...urls]]) })
}

/** Whether a new set may replace the current one only if it is given twice in a row (quorum.md#refreshes). */
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
 * Members whose asked URLs have one origin have one vote together, and one member with several URLs is one voter. A
 * member that lists the origins of others beside the one that is asked is merged with nobody through them.
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

/** Which operator runs a super validator; its own where none claims it (quorum.md#operators-count-too). */
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

  /** How many operators the super validators seen so far have. */
  get distinct(): number {
    return this.#seen.size
  }

  get unmatched(): readonly string[] {
    return this.#claims.map(({ member }) => member).filter((member) => !this.#matched.has(member))
  }

  /** @param place where the super validator is asked: what it merely lists makes it nobody's. */
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

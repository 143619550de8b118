import { claimsHost } from '../../base/config/operators.ts'
import type { Config } from '../../base/config/resolve.ts'
import { byName } from '../../base/lib/by-name.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { digest } from '../../base/lib/digest.ts'
import { type Electorate, electorateOf, type Voter } from '../quorum/electorate.ts'
import { type Member, type Membership, membershipOfSeeds } from './membership.ts'
import { placeOf, type ScanOrigin } from './origin.ts'

/** The options that say whom the daemon trusts, and how many of them must agree. */
export type Trust = Pick<
  Config['scanClient'],
  'scanType' | 'svNames' | 'threshold' | 'thresholds' | 'operators'
>

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

/**
 * The super validators that vote, with their thresholds. A roster is immutable: each refresh
 * creates a new one.
 */
export class Roster {
  /**
   * The trusted members: all, or with `bft-custom` one for each name in `svNames`. A name that the
   * network does not publish is a member without URLs.
   */
  readonly membership: Membership
  readonly voters: readonly RosterVoter[]
  /**
   * A hash of what an answer rests on; it is the same for all daemons that may share answers
   * (quorum.md#cache-keys). URLs, and what follows from them alone, are no part of it: a super
   * validator that moves must not empty caches.
   */
  readonly trustDigest: string
  /** The configured members of operators that match no super validator. */
  readonly unmatchedOperators: readonly string[]
  readonly #general: Electorate
  readonly #byRead: ReadonlyMap<string, Electorate>
  readonly #isTrustSingle: boolean
  /** The number of operators. Undefined if none are configured. */
  readonly #operators: number | undefined

  constructor(published: Membership, trust: Trust) {
    const { scanType, svNames, threshold, thresholds, operators } = trust
    const members =
      scanType === 'bft-custom' ? svNames.map((name) => memberIn(published, name)) : published.members
    const { dso, synchronizer } = published
    this.membership = { dso, synchronizer, members }
    const claims = Object.entries(operators).flatMap(([operator, claimed]) =>
      claimed.map((member): OperatorClaim => ({ operator, member })),
    )
    const placed = members.map((member) => placedMember(member, claims))
    this.voters = votersOf(placed)
    this.unmatchedOperators = claims
      .filter((claim) => !placed.some(({ claimedBy }) => claimedBy.includes(claim)))
      .map(({ member }) => member)
    this.#operators = claims.length === 0 ? undefined : new Set(placed.map(({ operator }) => operator)).size
    this.#isTrustSingle = scanType === 'trust-single'
    this.#general = electorateOf(this.voters, threshold, this.#operators)
    this.#byRead = new Map(
      Object.entries(thresholds).map(([read, rule]) => [
        read,
        electorateOf(this.voters, rule, this.#operators),
      ]),
    )
    this.trustDigest = digest(
      canonicalJson({
        format: formatVersion,
        dso,
        synchronizer,
        mode: scanType,
        names: members.map(({ name }) => name).sort(compare),
        operators: Object.fromEntries(
          Object.entries(operators).map(([operator, claimed]) => [operator, claimed.toSorted(compare)]),
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
    return this.membership.members.length
  }

  electorate(read?: string): Electorate {
    return (read === undefined ? undefined : this.#byRead.get(read)) ?? this.#general
  }

  strictElectorate(read?: string): Electorate {
    const usual = this.electorate(read)
    const strict = electorateOf(this.voters, '2f+1', this.#operators)
    return strict.superValidators.threshold > usual.superValidators.threshold ? strict : usual
  }

  /**
   * Returns the configured thresholds that are unsafe. Below f+1, f liars alone reach the
   * threshold; above the number of votes, no answer reaches it.
   */
  unsafeThresholds(): readonly UnsafeThreshold[] {
    if (this.#isTrustSingle) return []
    return [undefined, ...this.#byRead.keys()].flatMap((read) => {
      const { f, threshold } = this.electorate(read).superValidators
      const votes = this.voters.length
      if (threshold > f && threshold <= votes) return []
      const option = read === undefined ? 'scanClient.threshold' : `scanClient.thresholds.${read}`
      return { option, threshold, least: f + 1, voters: votes }
    })
  }

  /** Returns a sentence by option for each threshold that is above the number of votes. */
  outOfReach(): ReadonlyMap<string, string> {
    const tooHigh = this.unsafeThresholds().filter(({ threshold, voters }) => threshold > voters)
    return new Map(
      tooHigh.map(({ option, threshold, voters }) => [
        option,
        `${option} must be at most the number of votes in the roster, ${voters}, not ${threshold}`,
      ]),
    )
  }

  /**
   * Whether an answer needs more votes than f faulty super validators have. Always false for f = 0
   * and with `trust-single` (quorum.md#loud-when-unprotected).
   */
  isProtected(read?: string): boolean {
    return this.protects(this.electorate(read))
  }

  protects({ superValidators: { f, threshold } }: Electorate): boolean {
    return !this.#isTrustSingle && f > 0 && threshold >= f + 1
  }
}

/**
 * Returns a roster in which the seeds are the super validators. It serves to count the votes of the
 * seeds; if discovery is off, it is the roster.
 */
export function rosterOfSeeds(
  scanClient: Trust & Pick<Config['scanClient'], 'dsoPartyId'>,
  seeds: readonly string[],
): Roster {
  const scanType = scanClient.scanType === 'trust-single' ? 'trust-single' : 'bft'
  return new Roster(membershipOfSeeds(seeds, scanClient.dsoPartyId), { ...scanClient, scanType })
}

/** Returns the seeds as the voters that decide about the first roster: f+1 of them must agree. */
export function seedElectorate(trust: Trust, seeds: readonly string[]): Electorate {
  return rosterOfSeeds({ ...trust, threshold: 'f+1', thresholds: {} }, seeds).electorate()
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

export function operatorName({ operator }: Pick<Voter, 'operator'>): string {
  return operator.replace(/^(?:super validator|operator) /, '')
}

/** Returns the addresses of a voter, the one to prefer first. */
export function placesOf({ place, otherPlaces }: RosterVoter): readonly ScanOrigin[] {
  return place === undefined ? [] : [place, ...otherPlaces]
}

function memberIn({ members }: Membership, name: string): Member {
  return { name, urls: members.find((member) => member.name === name)?.urls ?? [] }
}

function thresholdsOf({ superValidators, operators }: Electorate): [number, number] {
  return [superValidators.threshold, operators?.threshold ?? 0]
}

/** `member` is a super validator's name, the host of a scan, or a host suffix that begins with a dot. */
interface OperatorClaim {
  readonly operator: string
  readonly member: string
}

interface PlacedMember {
  readonly name: string
  readonly operator: string
  readonly claimedBy: readonly OperatorClaim[]
  readonly place: ScanOrigin | undefined
}

/**
 * Finds the usable URL that sorts first, at which the daemon asks a member, and the operator. A
 * configured host is compared with this URL only, and not with the others that the member
 * published. A member that no operator claims is its own operator (quorum.md#operators-count-too).
 */
function placedMember({ name, urls }: Member, claims: readonly OperatorClaim[]): PlacedMember {
  const places = urls.map(placeOf).filter((place) => place !== undefined)
  const [place] = places.sort((a, b) => compare(a.url, b.url))
  const claimedBy = claims.filter(
    ({ member }) => member === name || (place !== undefined && claimsHost(member, place.host)),
  )
  const [first] = claimedBy
  const operator = first === undefined ? `super validator ${name}` : `operator ${first.operator}`
  return { name, operator, claimedBy, place }
}

/** Members that the daemon asks at the same origin are one voter, also if their paths differ. */
function votersOf(members: readonly PlacedMember[]): readonly RosterVoter[] {
  const groups = Map.groupBy(members, ({ name, place }) => place?.origin ?? `nowhere ${name}`)
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

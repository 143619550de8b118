import { isJsonObject } from '../../base/lib/canonical-json.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { Reachability } from '../../base/telemetry/roster-events.ts'
import type { Holding } from '../reads/read.ts'
import { releaseIn, standingOf } from '../reads/releases.ts'
import {
  Health,
  probe,
  probeOutcome,
  type ReplyKind,
  type Usability,
  usabilityOf,
  usabilityOfProbe,
} from './health.ts'
import { Holdings } from './holdings.ts'
import type { Budget, Budgets } from './in-flight-budget.ts'
import { saysUnknownPath, tryParse } from './judgement.ts'
import { RequestGroup, releaseRequest, type ScanNode, type ScanRequest, type ScanResponse } from './node.ts'
import { Selection } from './peer-selection.ts'
import { RateLimit, type RateLimitOptions } from './rate-limit.ts'
import { placesOf, type Roster, type RosterVoter } from './roster.ts'

const longestProbeCheckIntervalMs = 1_000
const releaseMs = 600_000
const doubtedReleaseMs = 60_000
/** For this time, a scan that knew none of several paths is asked at the newest one only. */
const noneMs = 60_000

interface KnownPath {
  readonly path: string
  /** The scan knew no path when all were tried last, and is not asked at all of them before this. */
  readonly noneUntil: number
}

export interface ConnectionDeps {
  readonly clock: Clock
  readonly onReachabilityMayHaveChanged?: () => void
}

/** A scan node with what the daemon records about it, such as its health and its rate limit. */
export class Connection {
  readonly node: ScanNode
  readonly budget: Budget
  readonly rateLimit: RateLimit
  readonly health: Health
  readonly holdings = new Holdings()
  /** The release of Splice that the scan named last, which need not be true (`releaseIn`). */
  release: string | undefined
  #releaseDueAt = Number.NEGATIVE_INFINITY
  #releaseAskedAt = Number.NEGATIVE_INFINITY
  readonly #clock: Clock
  /**
   * By the newest of several paths: the one at which the scan answered last. The daemon learns this
   * from the scan's answers alone.
   */
  readonly #paths = new Map<string, KnownPath>()
  readonly #onReachabilityMayHaveChanged: () => void

  constructor(
    node: ScanNode,
    budget: Budget,
    rateLimit: RateLimit,
    { clock, onReachabilityMayHaveChanged = () => {} }: ConnectionDeps,
  ) {
    this.node = node
    this.budget = budget
    this.rateLimit = rateLimit
    this.health = new Health(clock)
    this.#clock = clock
    this.#onReachabilityMayHaveChanged = onReachabilityMayHaveChanged
  }

  /**
   * Asks the scan at `request.path`, or at one of `request.olderPaths` if that is what its release
   * knows. Rejects only when the group is aborted.
   */
  ask(request: ScanRequest, group: RequestGroup): Promise<ScanResponse> {
    const { olderPaths } = request
    return olderPaths === undefined
      ? this.node.ask(request, group)
      : this.#askAtOneOf(olderPaths, request, group)
  }

  /**
   * Asks at the path that the scan knew last, and at the others, the newest first, if the scan does
   * not know that path any more.
   */
  async #askAtOneOf(
    olderPaths: readonly string[],
    request: ScanRequest,
    group: RequestGroup,
  ): Promise<ScanResponse> {
    const { path: newest } = request
    const { path: tried = newest, noneUntil = 0 } = this.#paths.get(newest) ?? {}
    let response = await this.node.ask({ ...request, path: tried }, group)
    if (!isUnknownPath(response) || this.#clock.now() < noneUntil) return response
    let last = tried
    // The scan may be upgraded between two of these requests, so the newest path also comes last.
    for (const path of [newest, ...olderPaths, newest]) {
      if (path === last) continue
      last = path
      if (response.kind === 'response') response.release()
      response = await this.node.ask({ ...request, path }, group)
      if (isUnknownPath(response)) continue
      this.#paths.set(newest, { path, noneUntil: 0 })
      return response
    }
    this.#paths.set(newest, { path: newest, noneUntil: this.#clock.now() + noneMs })
    return response
  }

  /** Sends a request that the daemon makes for itself, such as a request for the roster. */
  async askForDaemon(
    request: ScanRequest,
    signal: AbortSignal,
    judge: (response: ScanResponse) => Usability = usabilityOf,
  ): Promise<ScanResponse> {
    const started = this.#clock.now()
    this.health.asked(started)
    const response = await this.ask(request, new RequestGroup(signal, this.#clock))
    this.record(judge(response), this.#clock.now() - started)
    return response
  }

  get isReleaseDue(): boolean {
    return this.health.reachable === true && this.#clock.now() >= this.#releaseDueAt
  }

  askingForRelease(): void {
    this.#releaseAskedAt = this.#clock.now()
    this.#releaseDueAt = this.#releaseAskedAt + releaseMs
  }

  /** Records that the scan lacks a path: its release may be another one than it was. */
  doubtRelease(): void {
    this.#releaseDueAt = Math.min(this.#releaseDueAt, this.#releaseAskedAt + doubtedReleaseMs)
  }

  /** @param kind the kind of a caller's read. Undefined for a request that the daemon made for itself. */
  record(usability: Usability, tookMs: number, kind?: ReplyKind): void {
    const { health } = this
    const before = health.reachable
    switch (usability) {
      case 'not-sent':
        return
      case 'throttled':
        health.throttled()
        break
      case 'unusable':
        health.failed()
        break
      case 'unclear':
        health.doubted()
        break
      case 'usable':
        if (kind === undefined) health.probed(tookMs)
        else health.answered(tookMs, kind)
    }
    if (!health.reachable || !before) this.#onReachabilityMayHaveChanged()
  }
}

interface RosterConnections {
  readonly roster: Roster
  /** By voter index; undefined for a voter that is set aside or has no usable URL. */
  readonly connections: readonly (Connection | undefined)[]
  readonly aside: readonly number[]
  readonly selection: Selection
}

export interface ConnectionsOptions extends RateLimitOptions {
  readonly probeIntervalMs: number
  readonly requestTimeoutMs: number
}

export interface ConnectionsDeps {
  readonly clock: Clock
  readonly connect: (url: string, budget: Budget, rateLimit: RateLimit) => ScanNode
  readonly budgets: Budgets
  readonly events: Pick<Events, 'forSuperValidator' | 'releaseNamed'>
}

/**
 * The connections to scans, by base URL: those of the current roster, and those of the seeds while
 * the daemon asks them.
 */
export class Connections implements AsyncDisposable {
  readonly cordon = new Cordon(() => {
    this.#latest = undefined
    this.#tellReachability()
  })
  readonly #options: ConnectionsOptions
  readonly #deps: ConnectionsDeps
  readonly #byUrl = new Map<string, Connection>()
  readonly #closing = new AbortController()
  #roster: Roster | undefined
  #latest: RosterConnections | undefined
  #cancelProbe: (() => void) | undefined
  #tellReachability = () => {}

  constructor(options: ConnectionsOptions, deps: ConnectionsDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Calls `changed` from now on whenever a scan may have become reachable or unreachable. */
  watchReachability(changed: () => void): void {
    this.#tellReachability = changed
  }

  to(url: string): Connection {
    const known = this.#byUrl.get(url)
    if (known !== undefined) return known
    const { budgets, connect } = this.#deps
    const budget = budgets.open()
    const rateLimit = new RateLimit(this.#options, this.#deps.clock)
    const connection = new Connection(connect(url, budget, rateLimit), budget, rateLimit, {
      clock: this.#deps.clock,
      onReachabilityMayHaveChanged: this.#reachabilityMayHaveChanged,
    })
    this.#byUrl.set(url, connection)
    budgets.divide(this.#byUrl.size)
    return connection
  }

  /** Returns the connection at which the daemon asks a voter: the first that may answer reads. */
  of(voter: RosterVoter): Connection | undefined {
    return preferred(this.allOf(voter))
  }

  allOf(voter: RosterVoter): readonly Connection[] {
    return placesOf(voter).map(({ url }) => this.to(url))
  }

  ofRoster(roster: Roster): RosterConnections {
    if (this.#latest?.roster !== roster) {
      const aside = roster.voters.flatMap((voter, index) => (this.cordon.holds(voter) ? [index] : []))
      const connections = roster.voters.map((voter) =>
        this.cordon.holds(voter) ? undefined : this.of(voter),
      )
      this.#latest = { roster, connections, aside, selection: new Selection(connections, this.#deps.clock) }
    }
    return this.#latest
  }

  /**
   * Returns the connection to a voter if it is already open; unlike `of`, this method never opens a
   * connection. The result is undefined for a voter that is set aside.
   */
  find(voter: RosterVoter): Connection | undefined {
    return preferred(this.#openTo(voter))
  }

  /** Counts the voters of a roster that were reachable when the daemon last asked each of them. */
  reachability(roster: Roster): Reachability {
    const reached: RosterVoter[] = []
    const unheard: RosterVoter[] = []
    for (const voter of roster.voters) {
      const connection = this.find(voter)
      if (connection?.health.reachable === true) reached.push(voter)
      else if (connection !== undefined && connection.health.reachable === undefined) unheard.push(voter)
    }
    const { superValidators, operators } = roster.electorate()
    const reachable = distinctOperators(reached)
    return {
      superValidators: {
        threshold: superValidators.threshold,
        reachable: reached.length,
        unheard: unheard.length,
      },
      reachableMembers: reached.flatMap(({ names }) => names).length,
      ...(operators && {
        operators: {
          threshold: operators.threshold,
          reachable,
          unheard: distinctOperators([...reached, ...unheard]) - reachable,
        },
      }),
    }
  }

  #openTo(voter: RosterVoter): readonly Connection[] {
    return this.cordon.holds(voter) ? [] : placesOf(voter).flatMap(({ url }) => this.#byUrl.get(url) ?? [])
  }

  /**
   * Asks a node which history it holds, unless the daemon already knows. The promise never rejects,
   * so callers need not await it.
   */
  async learn(connection: Connection, holding: Holding): Promise<void> {
    const { clock } = this.#deps
    try {
      await connection.holdings.learn(
        holding,
        () => clock.now(),
        (asked) => this.#askAside(connection, asked),
      )
    } catch {
      // The request rejects only if it is aborted, because the daemon is closing.
    }
  }

  /** Opens the connections of a new roster, closes all others, and looks after the scans from now on. */
  keep(roster: Roster): void {
    this.#roster = roster
    const urls = roster.voters.flatMap(placesOf).map(({ url }) => url)
    this.retain(urls)
    for (const url of urls) this.to(url)
    this.#lookAfterScans()
  }

  /** Probes a super validator that seemed unreachable and may be back, without waiting for its turn. */
  probeNow(name: string): void {
    const voter = this.#roster?.voters.find(({ names }) => names.includes(name))
    if (voter === undefined) return
    for (const connection of this.#openTo(voter))
      if (connection.health.reachable === false && connection.rateLimit.allows('scan'))
        void this.#probe(voter, connection)
  }

  retain(urls: readonly string[]): void {
    const wanted = new Set(urls)
    this.#latest = undefined
    for (const [url, connection] of this.#byUrl) {
      if (wanted.has(url)) continue
      this.#byUrl.delete(url)
      void this.#close(connection)
    }
    this.#deps.budgets.divide(this.#byUrl.size)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelProbe?.()
    this.#closing.abort()
    await Promise.all([...this.#byUrl.values()].map((connection) => this.#close(connection)))
  }

  readonly #reachabilityMayHaveChanged = () => {
    // A voter with several places may be asked at another one from now on.
    if (this.#latest?.roster.voters.some(({ otherPlaces }) => otherPlaces.length > 0) === true)
      this.#latest = undefined
    this.#tellReachability()
  }

  async #close({ node, budget }: Connection): Promise<void> {
    await node[Symbol.asyncDispose]()
    this.#deps.budgets.close(budget)
  }

  #lookAfterScans(): void {
    this.#cancelProbe?.()
    const { probeIntervalMs } = this.#options
    for (const voter of this.#roster?.voters ?? []) {
      for (const connection of this.#openTo(voter)) {
        if (!connection.rateLimit.allows('scan')) continue
        if (connection.health.isProbeDue(probeIntervalMs)) void this.#probe(voter, connection)
        else if (connection.isReleaseDue) void this.#learnRelease(voter, connection)
      }
    }
    const afterMs = Math.min(longestProbeCheckIntervalMs, probeIntervalMs / 4)
    this.#cancelProbe = this.#deps.clock.after(afterMs, () => this.#lookAfterScans())
  }

  async #probe(voter: RosterVoter, connection: Connection): Promise<void> {
    if (this.cordon.holds(voter)) return
    const started = this.#deps.clock.now()
    connection.health.probing(started)
    try {
      const response = await this.#askAside(connection, probe, usabilityOfProbe)
      const seconds = (this.#deps.clock.now() - started) / 1000
      if (connection === this.find(voter))
        this.#deps.events.forSuperValidator(voter.names[0] as string).asked(probeOutcome(response), seconds)
      if (response.kind === 'response') response.release()
    } catch {
      // The request rejects only if it is aborted, because the daemon is closing.
    }
  }

  async #learnRelease(voter: RosterVoter, connection: Connection): Promise<void> {
    const group = new RequestGroup(this.#closing.signal, this.#deps.clock)
    connection.askingForRelease()
    try {
      const response = await connection.node.ask(releaseRequest(this.#options.requestTimeoutMs), group)
      if (response.kind === 'fault') return connection.doubtRelease()
      const release = releaseOf(response)
      connection.release = release
      if (connection !== this.find(voter)) return
      for (const name of voter.names) this.#deps.events.releaseNamed(name, standingOf(release), release)
    } catch {
      // The request rejects only if it is aborted, because the daemon is closing.
    }
  }

  #askAside(
    connection: Connection,
    asked: Pick<ScanRequest, 'method' | 'path' | 'body'>,
    judge?: (response: ScanResponse) => Usability,
  ): Promise<ScanResponse> {
    const { requestTimeoutMs: timeoutMs } = this.#options
    return connection.askForDaemon({ ...asked, maxBytes: 65_536, timeoutMs }, this.#closing.signal, judge)
  }
}

function distinctOperators(voters: readonly RosterVoter[]): number {
  return new Set(voters.map(({ operator }) => operator)).size
}

function preferred(connections: readonly Connection[]): Connection | undefined {
  return connections.find(({ health }) => health.reachable !== false) ?? connections[0]
}

function isUnknownPath(response: ScanResponse): boolean {
  return response.kind === 'response' && saysUnknownPath(response.status, response.body)
}

/** Returns the release that the response to `releaseRequest` names, and releases the response. */
export function releaseOf(response: Extract<ScanResponse, { kind: 'response' }>): string | undefined {
  const json = response.status === 200 ? tryParse(response.body, { maxElements: 64 }) : undefined
  response.release()
  if (typeof json !== 'object' || !isJsonObject(json.value)) return undefined
  return releaseIn(json.value['version'])
}

/**
 * The super validators that an operator set aside, until the operator takes them back or the daemon
 * stops. They stay in the roster, so that no threshold changes, but the daemon does not ask them
 * (quorum.md#set-aside).
 */
class Cordon {
  readonly #names = new Set<string>()
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get names(): readonly string[] {
    return [...this.#names]
  }

  add(name: string): void {
    this.#names.add(name)
    this.#changed()
  }

  remove(name: string): void {
    this.#names.delete(name)
    this.#changed()
  }

  /**
   * Whether any super validator of this voter is set aside. The super validators of one voter share
   * a scan, so the daemon then asks none of them.
   */
  holds({ names }: Pick<RosterVoter, 'names'>): boolean {
    return this.#names.size > 0 && names.some((name) => this.#names.has(name))
  }
}

import type { Clock } from '../lib/clock.ts'
import type { Holding } from '../reads/read.ts'
import type { Budget, Budgets } from './budget.ts'
import { Health, type ReplyKind } from './health.ts'
import { Holdings } from './holdings.ts'
import type { ScanNode, ScanRequest, ScanResponse } from './node.ts'
import { RateLimit, type RateLimitOptions } from './rate-limit.ts'
import type { Roster, RosterVoter } from './roster.ts'
import { Selection } from './selection.ts'

/** How often it is looked who is to be probed. */
const mostTickMs = 1_000

/** A scan node that is asked, and how it has been doing. */
export class Connection {
  readonly node: ScanNode
  readonly budget: Budget
  readonly rateLimit: RateLimit
  readonly health: Health
  readonly holdings = new Holdings()
  readonly #clock: Clock

  constructor(node: ScanNode, budget: Budget, rateLimit: RateLimit, clock: Clock) {
    this.node = node
    this.budget = budget
    this.rateLimit = rateLimit
    this.health = new Health(clock)
    this.#clock = clock
  }

  /** Asks as `ScanNode.ask` does, and counts the reply as that to a probe: what is asked here is no read. */
  async ask(request: ScanRequest, signal: AbortSignal): Promise<ScanResponse> {
    const started = this.#clock.now()
    this.health.asked(started)
    const response = await this.node.ask(request, signal)
    this.heard(response, this.#clock.now() - started, undefined)
    return response
  }

  /**
   * What became of an ask. What was not sent (`busy`, `held-back`) says nothing of the node.
   * @param kind of the read; undefined where none was asked.
   */
  heard(response: ScanResponse, tookMs: number, kind: ReplyKind | undefined): void {
    const { health } = this
    if (response.kind === 'fault') {
      if (response.fault !== 'busy' && response.fault !== 'held-back') health.failed()
    } else if (response.status === 429) health.throttled()
    else if (response.status >= 500) health.failed()
    else if (kind === undefined) health.probed(tookMs)
    else health.answered(tookMs, kind)
  }
}

/** The connections to all of a roster's voters, in their order, and which of them to ask first. */
interface RosterConnections {
  readonly roster: Roster
  readonly connections: readonly (Connection | undefined)[]
  readonly selection: Selection
}

export interface ConnectionsOptions {
  readonly probeIntervalMs: number
  readonly requestTimeoutMs: number
  /** Of every single node. */
  readonly rateLimit: RateLimitOptions
}

export interface ConnectionsDeps {
  readonly clock: Clock
  /** A node for a host root, within a budget for memory and asks, asked no more often than its rate limit allows. */
  readonly connect: (url: string, budget: Budget, rateLimit: RateLimit) => ScanNode
  readonly budgets: Budgets
  /** Called after every probe. */
  readonly probed: (voter: RosterVoter, response: ScanResponse, seconds: number) => void
}

/** The connections to the scans of the present roster, by URL, and the probes of those that nobody asks. */
export class Connections implements AsyncDisposable {
  readonly #options: ConnectionsOptions
  readonly #deps: ConnectionsDeps
  readonly #byUrl = new Map<string, Connection>()
  readonly #closing = new AbortController()
  #roster: Roster | undefined
  /** Of the roster that was asked last. */
  #latest: RosterConnections | undefined
  #cancelProbe: (() => void) | undefined

  constructor(options: ConnectionsOptions, deps: ConnectionsDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** The connection to a host root, made when first asked for. */
  to(url: string): Connection {
    const known = this.#byUrl.get(url)
    if (known !== undefined) return known
    const { budgets, connect, clock } = this.#deps
    const budget = budgets.open()
    const rateLimit = new RateLimit(this.#options.rateLimit, clock)
    const connection = new Connection(connect(url, budget, rateLimit), budget, rateLimit, clock)
    this.#byUrl.set(url, connection)
    budgets.divide(this.#byUrl.size)
    return connection
  }

  of(voter: RosterVoter): Connection | undefined {
    return voter.place === undefined ? undefined : this.to(voter.place.url)
  }

  ofRoster(roster: Roster): RosterConnections {
    if (this.#latest?.roster !== roster) {
      const connections = roster.voters.map((voter) => this.of(voter))
      this.#latest = { roster, connections, selection: new Selection(connections, this.#deps.clock) }
    }
    return this.#latest
  }

  /** The connection to a voter that is still connected to. */
  find({ place }: RosterVoter): Connection | undefined {
    return place === undefined ? undefined : this.#byUrl.get(place.url)
  }

  /** Asks a node what it has of the history, where that is not known; nobody waits for it. */
  async learn(connection: Connection, holding: Holding): Promise<void> {
    const { clock } = this.#deps
    try {
      await connection.holdings.learn(
        holding,
        () => clock.now(),
        (asked) => this.#askAside(connection, asked),
      )
    } catch {
      // The only rejection is our own abort while closing.
    }
  }

  /** From now on this roster is asked, and nobody else is connected to. */
  keep(roster: Roster): void {
    this.#roster = roster
    this.retain(roster.voters.flatMap(({ place }) => (place === undefined ? [] : [place.url])))
    for (const voter of roster.voters)
      if (this.of(voter)?.health.reachable === undefined) void this.#probe(voter)
    this.#scheduleProbes()
  }

  /** Closes the connections to all other host roots; asks in flight to those end by themselves. */
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

  async #close({ node, budget }: Connection): Promise<void> {
    await node[Symbol.asyncDispose]()
    this.#deps.budgets.close(budget)
  }

  #scheduleProbes(): void {
    this.#cancelProbe?.()
    const { probeIntervalMs } = this.#options
    this.#cancelProbe = this.#deps.clock.after(Math.min(mostTickMs, probeIntervalMs / 4), () => {
      for (const voter of this.#roster?.voters ?? []) {
        const connection = this.of(voter)
        if (connection === undefined || !connection.rateLimit.allows('scan')) continue
        const { health } = connection
        if (health.idleMs >= health.probeAfterMs(probeIntervalMs)) void this.#probe(voter)
      }
      this.#scheduleProbes()
    })
  }

  async #probe(voter: RosterVoter): Promise<void> {
    const connection = this.of(voter)
    if (connection === undefined) return
    const started = this.#deps.clock.now()
    try {
      const response = await this.#askAside(connection, { method: 'GET', path: '/api/scan/version' })
      if (response.kind === 'response') response.release()
      this.#deps.probed(voter, response, (this.#deps.clock.now() - started) / 1000)
    } catch {
      // The only rejection is our own abort while closing.
    }
  }

  /** What is asked of a node about itself. */
  #askAside(
    connection: Connection,
    asked: Pick<ScanRequest, 'method' | 'path' | 'body'>,
  ): Promise<ScanResponse> {
    const { requestTimeoutMs: timeoutMs } = this.#options
    return connection.ask({ ...asked, maxBytes: 65_536, timeoutMs }, this.#closing.signal)
  }
}

import { join } from 'node:path'
import { expect } from 'vitest'
import { SpliceError } from '../../src/base/errors/splice.ts'
import { type Random, seededRandom } from '../../src/base/lib/random.ts'
import { tolerated } from '../../src/base/lib/threshold.ts'
import { listAnsEntries, lookupAnsEntryByParty } from '../../src/core/reads/ans.ts'
import type { Question } from '../../src/core/reads/read.ts'
import { type Localnet, startLocalnet } from '../../src/localnet/localnet.ts'
import { gridAfter } from '../../src/mirror/snapshot-grid.ts'
import { asTimePasses } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { DayAudit, slowDatingMs } from './day-audit.ts'
import { DayDaemon, type DayDaemonOptions, OwnClock } from './day-daemon.ts'
import { DayFloors } from './day-floors.ts'
import { DayLedger } from './day-ledger.ts'
import { weather } from './day-weather.ts'
import { DayWrites } from './day-writes.ts'
import { mirrorFolder } from './mirror-folder.ts'
import { byName, hourMs } from './mirrored.ts'
import { pick, shuffled } from './random.ts'

const minuteMs = 60_000
export interface DayOptions {
  readonly seed: number
  readonly level: 'bindings' | 'stream'
  /** The number of super validators in the roster. The network has one more super validator. */
  readonly voters: number
  readonly hours: number
}

export type DayPlayed = Readonly<Record<string, number>>

/**
 * Plays hours of a network with random faults, on a machine whose clock is wrong at times. After each step, compares
 * every answer of the mirror with `NameBooks`, the true history of the names. No answer about a name, whichever part
 * gave it, may be older than one before it.
 */
export async function playDay(options: DayOptions): Promise<DayPlayed> {
  await using folder = await mirrorFolder()
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 2, 40))
  await using ledger = await DayLedger.open(clock, 6)
  await using localnet = await startLocalnet(
    { superValidators: options.voters + 1 },
    { clock, ledger: ledger.ledger },
  )
  const day = new Day(options, { clock, ledger, localnet, folder: folder.folder })
  try {
    return await day.play()
  } catch (error) {
    const { seed, level, voters } = options
    throw new Error(`SEED=${seed}, level ${level}, ${voters} super validators: ${error}`, {
      cause: error,
    })
  } finally {
    await day.end()
  }
}

interface DayStage {
  readonly clock: ManualClock
  readonly ledger: DayLedger
  readonly localnet: Localnet
  readonly folder: string
}

class Day {
  readonly #options: DayOptions
  readonly #stage: DayStage
  readonly #random: Random
  readonly #own: OwnClock
  readonly #audit: DayAudit
  readonly #floors: DayFloors
  readonly #writes: DayWrites
  readonly #happened = new Map<string, number>()
  readonly #nodes: readonly string[]
  readonly #questions: readonly Question[]
  readonly #daemonOptions: { -readonly [Key in keyof DayDaemonOptions]: DayDaemonOptions[Key] }
  #daemon: DayDaemon | undefined
  #seen = 0
  #everSeen = 0
  #datingErrorMs = 0
  #weatherUntil = 0
  #wrongUntil = 0

  constructor(options: DayOptions, stage: DayStage) {
    this.#options = options
    this.#stage = stage
    this.#random = seededRandom(options.seed)
    this.#own = new OwnClock(stage.clock)
    this.#audit = new DayAudit(options.level, stage.ledger.books)
    this.#floors = new DayFloors(stage.ledger.books)
    this.#writes = new DayWrites({
      ...stage,
      random: this.#random,
      names,
      wrote: (what) => this.#count(what),
    })
    this.#questions = questionsAbout(stage.ledger.users)
    this.#nodes = stage.localnet.superValidators.map(({ name }) => name)
    this.#daemonOptions = {
      seed: options.seed,
      level: options.level,
      file: join(stage.folder, 'mirror.db'),
      guardFile: join(stage.folder, 'floors'),
      rosterFile: join(stage.folder, 'roster.json'),
      urls: stage.localnet.superValidators.map(({ url }) => url),
      voters: this.#nodes.slice(0, options.voters),
      threshold: 'f+1',
    }
  }

  async play(): Promise<DayPlayed> {
    const { clock } = this.#stage
    const end = clock.wall() + this.#options.hours * hourMs
    for (const name of names.slice(0, 8)) await this.#writes.register(name)
    await this.#start()
    while (clock.wall() < end) {
      await this.#pass(this.#stepMs())
      await this.#happen()
      await this.#ask()
      this.#check()
    }
    return Object.fromEntries([...this.#happened, ...this.#audit.compared].sort())
  }

  async end(): Promise<void> {
    await this.#daemon?.[Symbol.asyncDispose]()
    this.#daemon = undefined
  }

  /**
   * Returns the length of a step: a random time of some minutes. If the next grid instant comes within that time, most
   * steps end there, or up to 0.9 s before or after.
   */
  #stepMs(): number {
    const now = this.#stage.clock.wall()
    const ms = Math.ceil(this.#random() * (this.#random() < 0.1 ? 30 : 6) * minuteMs)
    const toGrid = gridAfter(now) - now
    if (toGrid > ms || this.#random() < 0.3) return ms
    return Math.max(1, toGrid + pick(this.#random, [-900, -2, -1, 0, 900]))
  }

  /** Moves the clock in steps shorter than a request's time-out, so that no request times out on the way. */
  async #pass(ms: number): Promise<void> {
    const { clock } = this.#stage
    const end = clock.wall() + ms
    while (clock.wall() < end) {
      clock.advance(Math.min(2_000, end - clock.wall()))
      await this.#running.settle()
    }
  }

  async #happen(): Promise<void> {
    const now = this.#stage.clock.wall()
    if (now >= this.#weatherUntil) await this.#changeWeather(now)
    if (now >= this.#wrongUntil) this.#stepClock(0)
    const chance = this.#random()
    if (chance < 0.55) await this.#writes.write()
    else if (chance < 0.6) await this.#stage.ledger.sweep()
    else if (chance < 0.63) await this.#restart()
    else if (chance < 0.66) this.#changeRoster()
    else if (chance < 0.68) this.#changeRosterInDrain()
    else if (chance < 0.69) await this.#vote()
    else if (chance < 0.72) this.#setClock(now)
    else if (chance < 0.73) await this.#sleep()
  }

  async #changeWeather(now: number): Promise<void> {
    const { localnet } = this.#stage
    this.#weatherUntil = now + (5 + this.#random() * 40) * minuteMs
    const liars = tolerated(this.#options.voters)
    for (const [name, fault] of weather(this.#random, this.#nodes, { liars, names }))
      await localnet.setFault(name, fault)
    this.#count('weather')
  }

  async #start(): Promise<void> {
    const { clock } = this.#stage
    this.#daemon = await DayDaemon.start(this.#daemonOptions, clock, this.#own)
    this.#datingErrorMs = this.#own.behindMs === 0 ? 0 : Number.POSITIVE_INFINITY
    this.#seen = this.#own.wall()
  }

  async #restart(): Promise<void> {
    const before = this.#mirror.status()
    await this.end()
    await this.#start()
    expect(this.#mirror.status().generation).toBeGreaterThanOrEqual(before.generation)
    expect(this.#running.lines().filter(({ msg }) => /cannot use its file/.test(String(msg)))).toEqual([])
    this.#count('restarts')
  }

  #changeRoster(): void {
    const options = this.#daemonOptions
    if (this.#random() < 0.3) options.threshold = options.threshold === 'f+1' ? '2f+1' : 'f+1'
    else options.voters = shuffled(this.#random, this.#nodes).slice(1)
    this.#running.reload(options)
    this.#count('rosters')
  }

  #changeRosterInDrain(): void {
    const [{ localnet }, daemon] = [this.#stage, this.#daemon]
    void Promise.race(this.#nodes.map((name) => localnet.nextRequest(name, 'acs'))).then(
      () => {
        if (daemon !== this.#daemon) return
        this.#changeRoster()
        this.#count('rosters in a drain')
      },
      () => {},
    )
  }

  async #vote(): Promise<void> {
    await this.#stage.ledger.vote('0.1.99')
    await this.#pass(20 * minuteMs)
    if (this.#mirror.status().degradedBecause?.includes('0.1.99') === true) {
      expect(this.#questions.filter((question) => this.#mirror.reads.find(question) !== undefined)).toEqual(
        [],
      )
      this.#count('package unknown')
    }
    this.#check()
    await this.#stage.ledger.vote('0.1.23')
  }

  /** Makes the daemon's clock wrong for some time: by seconds up to hours, and in half of the cases more and more. */
  #setClock(now: number): void {
    const behindMs =
      pick(this.#random, [-1, 1]) * pick(this.#random, [0, 5_000, 61_000, 5 * minuteMs, hourMs, 3 * hourMs])
    const drift = pick(this.#random, [-1, 1]) * pick(this.#random, [0, 0, 0.01, 0.2])
    this.#stepClock(behindMs, drift)
    this.#wrongUntil = now + (10 + this.#random() * 50) * minuteMs
    if (drift !== 0) this.#count('clock drifts')
    if (behindMs !== 0) this.#count(behindMs > 0 ? 'clock set back' : 'clock set ahead')
  }

  #stepClock(behindMs: number, drift = 0): void {
    this.#noteClock()
    this.#own.set(behindMs, drift)
    this.#noteClock()
  }

  #noteClock(): void {
    this.#everSeen = Math.max(this.#everSeen, this.#own.wall())
    const { behindMs } = this.#own
    if (behindMs !== 0)
      this.#datingErrorMs = Math.max(
        this.#datingErrorMs,
        behindMs < 0 ? Number.POSITIVE_INFINITY : slowDatingMs,
      )
  }

  /** After a set back by as much as it slept, no machine could tell that it slept: some time passes before. */
  async #sleep(): Promise<void> {
    this.#own.sleep(Math.ceil(this.#random() * 3 * hourMs))
    this.#count('sleeps')
    await this.#ask()
    this.#check()
    await this.#pass(2 * minuteMs)
  }

  async #ask(): Promise<void> {
    for (let count = 0; count < 3; count++) {
      const question = pick(this.#random, this.#questions)
      const notBefore = this.#random() < 0.3 ? this.#own.wall() : undefined
      await this.#askOne(question, notBefore)
      if (notBefore !== undefined) await this.#askOne(question, undefined)
    }
  }

  async #askOne(question: Question, notBefore: number | undefined): Promise<void> {
    const mirrored = notBefore === undefined ? this.#mirror.reads.find(question) : undefined
    const asked = async () => this.#running.path.reader.answer(question, { notBefore })
    const served = await asTimePasses(this.#stage.clock, asked().catch(unanswered))
    this.#noteClock()
    this.#count(served === undefined ? 'unanswered' : served.how === 'mirror' ? 'mirrored' : 'live')
    if (notBefore !== undefined) expect(served?.how).not.toBe('mirror')
    if (mirrored !== undefined && served?.how !== 'mirror') this.#count('mirror behind')
    if (served !== undefined)
      this.#floors.check(question, served, { now: this.#stage.clock.wall(), seen: this.#everSeen })
  }

  #check(): void {
    this.#noteClock()
    this.#seen = Math.max(this.#seen, this.#own.wall())
    const { voters, threshold } = this.#daemonOptions
    const f = tolerated(voters.length)
    const asked = {
      now: this.#stage.clock.wall(),
      seen: this.#seen,
      datingErrorMs: this.#datingErrorMs,
      voters,
      threshold: threshold === 'f+1' ? f + 1 : 2 * f + 1,
    }
    for (const question of this.#questions) {
      const served = this.#mirror.reads.find(question)
      if (served === undefined) this.#count('not mirrored')
      else this.#audit.check(question, served, asked)
    }
    const withdrawn = this.#stage.ledger.books.withdrawn()
    expect(this.#mirror.status().withdrawn).toBeLessThanOrEqual(withdrawn.size)
    expect(withdrawn).toEqual(withdrawn.union(new Set(this.#contradicted())))
  }

  #contradicted(): readonly string[] {
    return this.#running.path.evidence
      .cases()
      .filter(({ rule }) => /the mirror$|mirrored name/.test(rule))
      .map(({ question }) => question?.['name'] ?? '')
  }

  get #running(): DayDaemon {
    if (this.#daemon === undefined) throw new Error('the daemon runs')
    return this.#daemon
  }

  get #mirror() {
    return this.#running.mirror
  }

  #count(what: string): void {
    this.#happened.set(what, (this.#happened.get(what) ?? 0) + 1)
  }
}

function unanswered(error: unknown): undefined {
  expect(error).toBeInstanceOf(SpliceError)
}

const names = Array.from({ length: 24 }, (_, id) => `${'abc'[id % 3]}-${id}.unverified.cns`)

const prefixes = ['a-', 'b-1', 'c', 'zzz', 'sv-', '']

function questionsAbout(parties: readonly string[]): readonly Question[] {
  return [
    ...[...names, 'nobody.unverified.cns', 'dso.cns'].map(byName),
    ...parties.map((party) => ({ read: lookupAnsEntryByParty, params: { party } })),
    ...prefixes.map((name_prefix) => ({ read: listAnsEntries, params: { name_prefix, page_size: '30' } })),
  ]
}

import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { spliceInterpreter } from '../../src/ledger/embedded/interpreter.splice.ts'
import { verifyLedger } from '../../src/ledger/embedded/rebuild.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { temporaryFolder } from '../ledger/embedded/open.ts'
import { advance } from '../support/caller.ts'
import { DaemonProcess } from '../support/process.ts'
import { LogAudit } from './log-audit.ts'
import { Person } from './person.ts'

export interface CrashOptions {
  readonly registrations: number
  /** The number of people who register at the same time, each one name after the other. */
  readonly people: number
  /** A daemon is killed after this many answers at most. */
  readonly mostAnswers: number
  readonly seed: number
}

export interface CrashReport {
  /** The number of names that were requested, paid and looked up. */
  readonly registered: number
  readonly killsWhileServing: number
  readonly killsWhileStarting: number
  /** The number of starts that found a torn end of the write-ahead log, and reported it. */
  readonly tornTails: number
  readonly updates: number
  /** The problems that were found, as sentences. The loop stops at the first one. */
  readonly problems: readonly string[]
}

/** One of this many starts, on average, is killed within `longestStartMs`. */
const killedStarts = 4
/**
 * The most milliseconds until such a kill. A start takes less, so some daemons are killed just after they began
 * to listen.
 */
const longestStartMs = 1_200

/**
 * Registers names at a daemon in a process of its own, which is killed at random moments and started again,
 * until all names are registered. The log is audited after each kill, and everything that people have after
 * each start.
 */
export async function crashLoop(options: CrashOptions): Promise<CrashReport> {
  await using folder = await temporaryFolder()
  const loop = new CrashLoop(folder.file, options, await peopleOf(options))
  while (!(await loop.round()));
  return loop.report()
}

function peopleOf({ people }: CrashOptions): Promise<Person[]> {
  return Promise.all(Array.from({ length: people }, (_, at) => Person.of(`person-${at}`)))
}

class CrashLoop {
  readonly #file: string
  readonly #people: readonly Person[]
  readonly #random: () => number
  readonly #mostAnswers: number
  readonly #names: Iterator<string>
  readonly #audit: LogAudit
  readonly #kills = { serving: 0, starting: 0 }
  #tornTails = 0
  #problems: readonly string[] = []

  constructor(file: string, { registrations, mostAnswers, seed }: CrashOptions, people: readonly Person[]) {
    this.#file = file
    this.#people = people
    this.#random = seededRandom(seed)
    this.#mostAnswers = mostAnswers
    this.#names = Array.from({ length: registrations }, (_, at) => `name-${at}.unverified.cns`).values()
    this.#audit = new LogAudit(file)
  }

  /** Runs one process of the daemon. Resolves with true if it was the last. */
  async round(): Promise<boolean> {
    await using daemon = await DaemonProcess.start({ LEDGER_DRIVER: 'embedded', LEDGER_FILE: this.#file })
    const isOver =
      this.#upTo(killedStarts) === 1 ? await this.#killStarting(daemon) : await this.#serve(daemon)
    await daemon.ended
    this.#tornTails += daemon.lines.filter(({ msg }) => msg === 'ledger: tail-cut').length
    this.#audit.read()
    this.#say(this.#audit.problems(this.#people))
    return isOver || this.#problems.length > 0
  }

  report(): CrashReport {
    const { problems, updates } = verifyLedger(this.#file, spliceInterpreter.indexing)
    this.#say(problems)
    if (updates !== this.#audit.updates)
      this.#say([`${updates} updates, but ${this.#audit.updates} were read`])
    const all = this.#people.flatMap(({ registrations }) => registrations)
    return {
      registered: all.filter(({ entryCid }) => entryCid !== undefined).length,
      killsWhileServing: this.#kills.serving,
      killsWhileStarting: this.#kills.starting,
      tornTails: this.#tornTails,
      updates,
      problems: this.#problems,
    }
  }

  async #killStarting(daemon: DaemonProcess): Promise<false> {
    await setTimeout(this.#upTo(longestStartMs))
    daemon.signal('SIGKILL')
    this.#kills.starting++
    return false
  }

  async #serve(daemon: DaemonProcess): Promise<boolean> {
    const { http, control } = await daemon.listening()
    await this.#compare(http, control)
    let left = this.#upTo(this.#mostAnswers)
    const answered = () => {
      if (--left === 0) daemon.signal('SIGKILL')
    }
    await Promise.all(this.#people.map((person) => person.live(http, this.#names, answered)))
    if (left <= 0) {
      this.#kills.serving++
      return false
    }
    await this.#compare(http, control)
    daemon.signal('SIGTERM')
    const { code } = await daemon.ended
    if (code !== 0) this.#say([`the daemon ended with ${code}`])
    return true
  }

  /** Compares what people have with what the daemon has acknowledged. */
  async #compare(http: string, control: string): Promise<void> {
    await advance(control, '0s')
    await Promise.all(
      this.#people.map(async (person) => {
        const actual = await person.holdings(http)
        const possible = person.possibleHoldings()
        if (possible.some((each) => isDeepStrictEqual(each, actual))) return
        this.#say([`${person.userId} has ${shown(actual)} instead of ${possible.map(shown).join(' or ')}`])
      }),
    )
  }

  #say(problems: readonly string[]): void {
    this.#problems = [...this.#problems, ...problems]
  }

  /** Returns a random integer from 1 to `most`. */
  #upTo(most: number): number {
    return 1 + Math.floor(this.#random() * most)
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member))
}

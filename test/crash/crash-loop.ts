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
  /** How many people register at a time, each one name after the other. */
  readonly people: number
  /** A daemon that serves is killed after so many answers at most. */
  readonly mostAnswers: number
  readonly seed: number
}

export interface CrashReport {
  /** How many names were asked for, paid and seen. */
  readonly registered: number
  readonly killsWhileServing: number
  readonly killsWhileStarting: number
  /** How many starts found a write-ahead log whose tail was torn, and said so. */
  readonly tornTails: number
  readonly updates: number
  /** What was found wrong, as sentences; the loop stops at the first. */
  readonly problems: readonly string[]
}

/** Of how many starts one does not come to its end. */
const killedStarts = 4
/** Longer than a start takes, so that some are killed when they have just begun to serve. */
const longestStartMs = 1_200

/**
 * People register names at a daemon of its own process, which is killed at random moments and started again, until all
 * names are registered. After each kill the log is audited, and after each start what everybody has.
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

  /** One life of a daemon. Resolves with whether it was the last. */
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

  /** Holds what everybody has against what everybody was told. */
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

  /** From 1. */
  #upTo(most: number): number {
    return 1 + Math.floor(this.#random() * most)
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member))
}

import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '../../src/base/lib/random.ts'
import { temporaryFolder } from '../ledger/embedded/open.ts'
import { advance } from '../support/caller.ts'
import { DaemonProcess } from '../support/process.ts'
import { LogAudit } from './log-audit.ts'
import { Person } from './person.ts'

export interface CrashOptions {
  readonly registrations: number
  readonly people: number
  readonly mostAnswers: number
  readonly seed: number
}

export interface CrashReport {
  /** The number of names that were requested, paid for and found by a lookup. */
  readonly registered: number
  readonly killsWhileServing: number
  readonly killsWhileStarting: number
  readonly updates: number
  /** The loop stops after the first process with a problem. */
  readonly problems: readonly string[]
}

/** On average, one process in this many is killed within `longestStartMs`. */
const killedStarts = 4
/**
 * The latest moment for a kill during a start. Most starts take less, so some of these kills come just after the daemon
 * has begun to listen.
 */
const longestStartMs = 1_200

/**
 * Lets people register names until all names are registered, at a daemon that is killed at random moments and started
 * again. Each kill is followed by an audit of the log, and each start by a check of what the people have.
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
  #problems: readonly string[] = []

  constructor(file: string, { registrations, mostAnswers, seed }: CrashOptions, people: readonly Person[]) {
    this.#file = file
    this.#people = people
    this.#random = seededRandom(seed)
    this.#mostAnswers = mostAnswers
    this.#names = Array.from({ length: registrations }, (_, at) => `name-${at}.unverified.cns`).values()
    this.#audit = new LogAudit(file)
  }

  async round(): Promise<boolean> {
    await using daemon = await DaemonProcess.start({ LEDGER_DRIVER: 'embedded', LEDGER_FILE: this.#file })
    const isOver =
      this.#upTo(killedStarts) === 1 ? await this.#killStarting(daemon) : await this.#serve(daemon)
    await daemon.ended
    this.#audit.read()
    this.#say(this.#audit.problems(this.#people))
    return isOver || this.#problems.length > 0
  }

  report(): CrashReport {
    this.#say(brokenPages(this.#file))
    const all = this.#people.flatMap(({ registrations }) => registrations)
    return {
      registered: all.filter(({ entryCid }) => entryCid !== undefined).length,
      killsWhileServing: this.#kills.serving,
      killsWhileStarting: this.#kills.starting,
      updates: this.#audit.updates,
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

  #upTo(most: number): number {
    return 1 + Math.floor(this.#random() * most)
  }
}

function brokenPages(file: string): readonly string[] {
  using db = new DatabaseSync(file, { readOnly: true })
  const rows = db.prepare('PRAGMA integrity_check(10)').all()
  return rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok')
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member))
}

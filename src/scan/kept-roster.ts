import type { Clock } from '../lib/clock.ts'
import { folderProblem, whyUnusable } from '../lib/unusable-file.ts'
import type { RosterSet } from './roster.ts'
import { type RosterFileOptions, readRosterFile, writeRosterFile } from './roster-file.ts'

export interface KeptRosterEvents {
  fileFailed(problem: 'not-written' | 'not-used', why: string): void
}

export interface KeptRosterDeps {
  readonly clock: Clock
  readonly events: KeptRosterEvents
}

/**
 * Keeps the agreed roster in a file for the next start of the daemon. A failure is only reported,
 * because the daemon can do without the file.
 */
export class KeptRoster {
  readonly #file: RosterFileOptions | undefined
  readonly #deps: KeptRosterDeps

  constructor(file: RosterFileOptions | undefined, deps: KeptRosterDeps) {
    this.#file = file
    this.#deps = deps
  }

  /**
   * Reads the roster from the file; the result is undefined if the file has no usable roster. Also
   * reports a file that the daemon cannot write, so that operators learn of the problem before the
   * first `write`.
   */
  async read(): Promise<{ readonly set: RosterSet; readonly ageMs: number } | undefined> {
    const file = this.#file
    if (file === undefined) return undefined
    const { clock, events } = this.#deps
    const problem = folderProblem(file.path)
    if (problem !== undefined) this.#notWritten(file, problem)
    const kept = readRosterFile(file, clock.wall())
    if (kept.kind === 'unusable') events.fileFailed('not-used', `${file.path} is not used: ${kept.why}`)
    return kept.kind === 'kept' ? { set: kept.set, ageMs: clock.wall() - kept.agreedAt } : undefined
  }

  async write(set: RosterSet): Promise<void> {
    const file = this.#file
    if (file === undefined) return
    try {
      await writeRosterFile(file, set, this.#deps.clock.wall())
    } catch (error) {
      this.#notWritten(file, whyUnusable(file.path, error))
    }
  }

  #notWritten({ path }: RosterFileOptions, why: string): void {
    this.#deps.events.fileFailed('not-written', `${path} cannot be written: ${why}`)
  }
}

import type { RosterVoter } from './roster.ts'

/**
 * The super validators that an operator set aside, until the operator takes them back or the daemon
 * stops. They stay in the roster, so that no threshold changes, but the daemon does not ask them
 * (quorum.md#set-aside).
 */
export class Cordon {
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

import type { RosterVoter } from './roster.ts'

/**
 * The super validators that an operator set aside. They remain so until the operator takes them back or the
 * daemon stops. They stay in the roster, so that no threshold changes, but the daemon does not ask them
 * (quorum.md#set-aside).
 */
export class Cordon {
  readonly #names = new Set<string>()
  readonly #changed: () => void

  /** @param changed called after each change. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** The names of the super validators that are set aside, in the order in which that happened. */
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
   * Whether one of the voter's super validators is set aside. The super validators of one voter share a scan, so none
   * of them is then asked.
   */
  holds({ names }: Pick<RosterVoter, 'names'>): boolean {
    return this.#names.size > 0 && names.some((name) => this.#names.has(name))
  }
}

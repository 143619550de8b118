import type { AgreedSet } from './agreed-set.ts'
import type { Followed } from './following.ts'
import type { MirrorDeps } from './mirror-deps.ts'
import type { SetAvailability } from './set-availability.ts'
import type { MirrorContent, OverlayEntry } from './store.ts'
import { nothingWithheld } from './withheld-in-file.ts'
import { WriteBehind } from './write-behind.ts'

export interface MirrorPersistenceDeps extends Pick<MirrorDeps, 'clock' | 'store' | 'events' | 'state'> {
  readonly availability: SetAvailability
  /** Called with a time that the ledger has reached: milliseconds since 1970. */
  readonly reached: (at: number) => void
}

/** Writes the content of the mirror to its store, and takes over the content that the store has. */
export class MirrorPersistence implements Disposable {
  readonly #deps: MirrorPersistenceDeps
  readonly #writes: WriteBehind

  constructor(deps: MirrorPersistenceDeps) {
    this.#deps = deps
    const { clock, store, events } = deps
    const lookAgain = () => void this.load()
    this.#writes = new WriteBehind({ clock, store, events, lookAgain, everything: () => this.#content() })
  }

  /** Loads the stored content. If the store cannot be read, the mirror's content in memory stays as it is. */
  async load(): Promise<void> {
    try {
      const content = await this.#deps.store.load()
      if (!this.#writes.isClosed) this.#takeOver(content)
    } catch (error) {
      this.#writes.failed(error)
    }
  }

  [Symbol.dispose](): void {
    this.#writes[Symbol.dispose]()
  }

  /** The sentence that says why the store lacks some of the mirror's content; null if it lacks nothing. */
  get unkeptBecause(): string | null {
    return this.#writes.unkeptBecause
  }

  /** Writes the whole content of the mirror; does nothing if the mirror has no set of names. */
  replace(): void {
    const content = this.#content()
    if (content !== undefined) this.#writes.replace(content)
  }

  overlay(entry: OverlayEntry): void {
    this.#writes.overlay(entry)
  }

  follow(step: Followed): void {
    this.#writes.follow(step)
  }

  /** Stores the present `Withheld`, so that the mirror withholds the same answers after a restart. */
  withhold(): void {
    const content = this.#deps.availability.content()
    if (content === undefined) return
    this.#writes.withhold(content.set.digest, content.withheld)
  }

  /**
   * Restores the content of the store if the mirror needs it (`#isToRestore`). Otherwise writes the content
   * of the mirror to the store.
   */
  #takeOver(content: MirrorContent | undefined): void {
    const { availability } = this.#deps
    if (content !== undefined && this.#isToRestore(content.set)) this.#restore(content)
    else if (availability.taken !== undefined) return this.replace()
    this.#writes.loaded(content?.withheld ?? nothingWithheld)
    this.withhold()
  }

  #isToRestore(kept: AgreedSet): boolean {
    const { availability, state } = this.#deps
    const own = availability.taken?.set
    if (own === undefined) return true
    return own.dso === kept.dso && kept.at > own.at && state?.following === undefined
  }

  #restore({ followed, ...content }: MirrorContent): void {
    const { availability, reached, state } = this.#deps
    const own = availability.taken?.generation
    const generation = Math.max(content.generation, own === undefined ? 0 : own + 1)
    reached(content.set.at)
    availability.restore({ ...content, generation })
    if (!availability.isUnreconciled) state?.restore(content.set, followed)
    if (followed !== undefined) reached(Date.parse(followed.at))
  }

  #content(): MirrorContent | undefined {
    const { availability, state } = this.#deps
    const content = availability.content()
    return content && { ...content, followed: state?.following?.followed }
  }
}

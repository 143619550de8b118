import type { AgreedSet } from './agreed-set.ts'
import type { Followed } from './following.ts'
import type { MirrorDeps } from './mirror-deps.ts'
import type { SetAvailability } from './set-availability.ts'
import type { MirrorContent, OverlayEntry } from './store.ts'
import { nothingWithheld } from './withheld-in-file.ts'
import { WriteBehind } from './write-behind.ts'

export interface MirrorPersistenceDeps extends Pick<MirrorDeps, 'clock' | 'store' | 'events' | 'state'> {
  readonly availability: SetAvailability
  readonly reached: (at: number) => void
}

export class MirrorPersistence implements Disposable {
  readonly #deps: MirrorPersistenceDeps
  readonly #writes: WriteBehind

  constructor(deps: MirrorPersistenceDeps) {
    this.#deps = deps
    const { clock, store, events } = deps
    const lookAgain = () => void this.load()
    this.#writes = new WriteBehind({ clock, store, events, lookAgain, everything: () => this.#content() })
  }

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

  get unkeptBecause(): string | null {
    return this.#writes.unkeptBecause
  }

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

  /** Stores the reasons not to answer, so that they apply after a restart too. */
  withhold(): void {
    const content = this.#deps.availability.content()
    if (content === undefined) return
    this.#writes.withhold(content.set.digest, content.withheld)
  }

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

import type { Followed } from './following.ts'
import type { MirrorContent, MirrorStore, OverlayEntry } from './store.ts'

/** Writes to the store without waiting. After a write that failed, the next step rewrites everything. */
export class StoreWrites {
  readonly #store: MirrorStore
  readonly #failed: (error: unknown) => void
  /** Whether a write failed since the store was given everything. */
  #isUnkept = false

  constructor(store: MirrorStore, failed: (error: unknown) => void) {
    this.#store = store
    this.#failed = failed
  }

  replace(content: MirrorContent): void {
    this.#isUnkept = false
    this.#keep(this.#store.replace(content))
  }

  overlay(entry: OverlayEntry): void {
    this.#keep(this.#store.overlay(entry))
  }

  /**
   * Writes a step of updates. After a write that failed, the store gets everything again, so that its updates have no
   * gap.
   * @param everything returns the whole content of the mirror, with this step.
   */
  follow(step: Followed, everything: () => MirrorContent): void {
    if (this.#isUnkept) this.replace(everything())
    else this.#keep(this.#store.follow(step))
  }

  #keep(written: Promise<void>): void {
    written.catch((error: unknown) => {
      this.#isUnkept = true
      this.#failed(error)
    })
  }
}

import type { Clock } from '../lib/clock.ts'
import type { Followed } from './following.ts'
import type { MirrorEvents } from './mirror-deps.ts'
import { type MirrorContent, type MirrorStore, type OverlayEntry, UnusableMirrorFile } from './store.ts'

export interface StoreWritesDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly store: MirrorStore
  readonly events: Pick<MirrorEvents, 'storeFailed' | 'storeWorks'>
  /** Called from time to time while another process has the file, to load it again. */
  readonly lookAgain: () => void
}

/** Milliseconds until the mirror looks again whether the process has ended that has its file. */
const lookAgainMs = 5_000

/** Writes to the store without waiting. After a write that failed, the next step rewrites everything. */
export class StoreWrites implements Disposable {
  readonly #deps: StoreWritesDeps
  /** Whether a write failed since the store was given everything. */
  #isUnkept = false
  /** The sentence that says why the store cannot be used. Null while it can be used; undefined before it was tried. */
  #unkeptBecause: string | null | undefined
  #cancelLook: (() => void) | undefined
  #isClosed = false

  constructor(deps: StoreWritesDeps) {
    this.#deps = deps
  }

  /** The sentence that says why the store is not used; null while it is used. */
  get unkeptBecause(): string | null {
    return this.#unkeptBecause ?? null
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Looks no more for the end of the process that has the file. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#cancelLook?.()
  }

  replace(content: MirrorContent): void {
    this.#isUnkept = false
    this.#keep(this.#deps.store.replace(content))
  }

  overlay(entry: OverlayEntry): void {
    this.#keep(this.#deps.store.overlay(entry))
  }

  /**
   * Writes a step of updates. After a write that failed, the store gets everything again, so that its updates have no
   * gap.
   * @param everything returns the whole content of the mirror, with this step.
   */
  follow(step: Followed, everything: () => MirrorContent): void {
    if (this.#isUnkept) this.replace(everything())
    else this.#keep(this.#deps.store.follow(step))
  }

  /** Records that the mirror has what the store has. */
  loaded(): void {
    this.#isUnkept = false
    this.#works()
  }

  /** Reports a store that failed. While another process has the file, it looks again for the end of that process. */
  failed(error: unknown): void {
    if (this.#isClosed) return
    const { clock, events, lookAgain } = this.#deps
    this.#isUnkept = true
    this.#unkeptBecause = error instanceof Error ? error.message : String(error)
    events.storeFailed(error)
    if (!(error instanceof UnusableMirrorFile) || error.fault !== 'in-use') return
    this.#cancelLook ??= clock.after(lookAgainMs, () => {
      this.#cancelLook = undefined
      lookAgain()
    })
  }

  #keep(written: Promise<void>): void {
    written.then(
      () => this.#works(),
      (error: unknown) => this.failed(error),
    )
  }

  #works(): void {
    if (this.#unkeptBecause === null) return
    this.#unkeptBecause = null
    this.#deps.events.storeWorks()
  }
}

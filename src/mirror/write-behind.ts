import type { Clock } from '../lib/clock.ts'
import type { Followed } from './following.ts'
import type { MirrorEvents } from './mirror-deps.ts'
import { type MirrorContent, type MirrorStore, type OverlayEntry, UnusableMirrorFile } from './store.ts'
import { nothingWithheld, type Withheld } from './withheld-in-file.ts'

export interface WriteBehindDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly store: MirrorStore
  readonly events: Pick<MirrorEvents, 'storeFailed' | 'storeWorks'>
  /** Loads the store again. It is called every few seconds while another process uses the file. */
  readonly lookAgain: () => void
  /** Returns the whole content of the mirror; undefined before the first set of names. */
  readonly everything: () => MirrorContent | undefined
}

const nothing = JSON.stringify(nothingWithheld)
/** The milliseconds between two attempts to load a file that another process uses. */
const lookAgainMs = 5_000
/** The milliseconds after a failed write until the whole content is written again. */
const rewriteMs = 60_000

/**
 * Writes the mirror's content to the store. Callers do not wait for the writes. After a failed write, the
 * whole content is written again: at the next call of `follow` or `withhold`, or else after a minute.
 */
export class WriteBehind implements Disposable {
  readonly #deps: WriteBehindDeps
  /**
   * Whether a load or a write failed. Becomes false again when a load succeeds, or when a write of the whole
   * content begins.
   */
  #isUnkept = false
  /**
   * Whether the store has the mirror's whole content: a load, or a write of the whole content, has succeeded,
   * and nothing has failed since.
   */
  #isWhole = false
  /**
   * The sentence that says why the store lacks some of the mirror's content; null if it lacks nothing.
   * Undefined before the first load or write has ended.
   */
  #unkeptBecause: string | null | undefined
  /**
   * The JSON of the `Withheld` that was written last. Undefined after a failure, so that the next call of
   * `withhold` writes again.
   */
  #withheld: string | undefined = nothing
  #cancelLook: (() => void) | undefined
  #cancelRewrite: (() => void) | undefined
  #isClosed = false

  constructor(deps: WriteBehindDeps) {
    this.#deps = deps
  }

  /**
   * The sentence that says why the store lacks some of the mirror's content. Null if the store lacks nothing,
   * and until the first load or write has ended.
   */
  get unkeptBecause(): string | null {
    return this.#unkeptBecause ?? null
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Cancels the timers for the next attempt to load or write the store after a failure. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#cancelLook?.()
    this.#cancelRewrite?.()
  }

  replace(content: MirrorContent): void {
    this.#isUnkept = false
    this.#withheld = JSON.stringify(content.withheld)
    this.#keep(this.#deps.store.replace(content), () => this.#whole())
  }

  overlay(entry: OverlayEntry): void {
    this.#keep(this.#deps.store.overlay(entry))
  }

  /**
   * Writes a step of updates. After a failed write, the method writes the whole content instead, so that the
   * stored updates have no gap. The caller must already have applied the step, so that the whole content
   * includes it.
   */
  follow(step: Followed): void {
    if (this.#isUnkept) this.#rewrite()
    else this.#keep(this.#deps.store.follow(step))
  }

  /**
   * Writes a `Withheld` if it differs from the last one that was written. After a failed write, the method
   * writes the whole content instead.
   * @param digest the digest of the set to which `withheld` belongs.
   */
  withhold(digest: string, withheld: Withheld): void {
    const text = JSON.stringify(withheld)
    if (text === this.#withheld) return
    if (this.#isUnkept) return this.#rewrite()
    this.#withheld = text
    this.#keep(this.#deps.store.withhold(digest, withheld))
  }

  /**
   * Records that the store was loaded, and that the mirror now has the stored content, if there was any.
   * @param withheld the `Withheld` in the stored content.
   */
  loaded(withheld: Withheld): void {
    this.#withheld = JSON.stringify(withheld)
    this.#whole()
  }

  /**
   * Reports a failure of the store, and plans the next attempt:
   * - If another process uses the file, the next attempt is to load the file.
   * - After the fault `closed`, there is no next attempt.
   * - After any other failure, the next attempt is to write the whole content.
   */
  failed(error: unknown): void {
    if (this.#isClosed) return
    const { clock, events, lookAgain } = this.#deps
    this.#isUnkept = true
    this.#isWhole = false
    this.#withheld = undefined
    this.#unkeptBecause = error instanceof Error ? error.message : String(error)
    events.storeFailed(error)
    const fault = error instanceof UnusableMirrorFile ? error.fault : undefined
    if (fault === 'in-use') {
      this.#cancelLook ??= clock.after(lookAgainMs, () => {
        this.#cancelLook = undefined
        lookAgain()
      })
    } else if (fault !== 'closed') {
      this.#cancelRewrite ??= clock.after(rewriteMs, () => {
        this.#cancelRewrite = undefined
        if (this.#isUnkept) this.#rewrite()
      })
    }
  }

  #rewrite(): void {
    const content = this.#deps.everything()
    if (content !== undefined) this.replace(content)
  }

  /**
   * @param after called if the write succeeds. By default, reports that the store works, but only if the
   * store also has the rest of the content.
   */
  #keep(written: Promise<void>, after = () => this.#part()): void {
    written.then(after, (error: unknown) => this.failed(error))
  }

  #part(): void {
    if (this.#isWhole) this.#works()
  }

  #whole(): void {
    this.#isUnkept = false
    this.#isWhole = true
    this.#works()
  }

  #works(): void {
    if (this.#unkeptBecause === null) return
    this.#unkeptBecause = null
    this.#deps.events.storeWorks()
  }
}

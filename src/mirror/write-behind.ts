import type { Clock } from '../lib/clock.ts'
import type { Followed } from './following.ts'
import type { MirrorEvents } from './mirror-deps.ts'
import { type MirrorContent, type MirrorStore, type OverlayEntry, UnusableMirrorFile } from './store.ts'
import { nothingWithheld, type Withheld } from './withheld-in-file.ts'

export interface WriteBehindDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly store: MirrorStore
  readonly events: Pick<MirrorEvents, 'storeFailed' | 'storeWorks'>
  readonly lookAgain: () => void
  readonly everything: () => MirrorContent | undefined
}

const nothing = JSON.stringify(nothingWithheld)
const lookAgainMs = 5_000
const rewriteMs = 60_000

/**
 * Writes the mirror's content to the store. Callers do not wait for the writes.
 * After a failed write, the whole content is written again: at the next call of `follow` or
 * `withhold`, or else after a minute.
 */
export class WriteBehind implements Disposable {
  readonly #deps: WriteBehindDeps
  /** True after a failure, until a load succeeds or a write of the whole content begins. */
  #needsRewrite = false
  /** True if the store has the mirror's whole content, and nothing has failed since. */
  #isWhole = false
  /**
   * A sentence that says why the store lacks content of the mirror; null if it lacks nothing.
   * Undefined before the first load or write has ended.
   */
  #unkeptBecause: string | null | undefined
  #withheld: string | undefined = nothing
  #cancelLook: (() => void) | undefined
  #cancelRewrite: (() => void) | undefined
  #isClosed = false

  constructor(deps: WriteBehindDeps) {
    this.#deps = deps
  }

  get unkeptBecause(): string | null {
    return this.#unkeptBecause ?? null
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#cancelLook?.()
    this.#cancelRewrite?.()
  }

  replace(content: MirrorContent): void {
    this.#needsRewrite = false
    this.#withheld = JSON.stringify(content.withheld)
    this.#keep(this.#deps.store.replace(content), () => this.#whole())
  }

  overlay(entry: OverlayEntry): void {
    this.#keep(this.#deps.store.overlay(entry))
  }

  /**
   * Stores followed updates. After a failed write, the whole content is written instead, so that the
   * stored updates have no gap. The caller must have applied `step` before, so that the content
   * includes it.
   */
  follow(step: Followed): void {
    if (this.#needsRewrite) this.#rewrite()
    else this.#keep(this.#deps.store.follow(step))
  }

  withhold(digest: string, withheld: Withheld): void {
    const text = JSON.stringify(withheld)
    if (text === this.#withheld) return
    if (this.#needsRewrite) return this.#rewrite()
    this.#withheld = text
    this.#keep(this.#deps.store.withhold(digest, withheld))
  }

  loaded(withheld: Withheld): void {
    this.#withheld = JSON.stringify(withheld)
    this.#whole()
  }

  /**
   * Handles a failed load or write. If another process uses the file, the store is loaded again
   * later. After any other fault except `closed`, the whole content is written again later.
   */
  failed(error: unknown): void {
    if (this.#isClosed) return
    const { clock, events, lookAgain } = this.#deps
    this.#needsRewrite = true
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
        if (this.#needsRewrite) this.#rewrite()
      })
    }
  }

  #rewrite(): void {
    const content = this.#deps.everything()
    if (content !== undefined) this.replace(content)
  }

  /**
   * Waits for a write and handles its end. By default, a success is reported only if the store also
   * has the rest of the content.
   */
  #keep(written: Promise<void>, after = () => this.#part()): void {
    written.then(after, (error: unknown) => this.failed(error))
  }

  #part(): void {
    if (this.#isWhole) this.#works()
  }

  #whole(): void {
    this.#needsRewrite = false
    this.#isWhole = true
    this.#works()
  }

  #works(): void {
    if (this.#unkeptBecause === null) return
    this.#unkeptBecause = null
    this.#deps.events.storeWorks()
  }
}

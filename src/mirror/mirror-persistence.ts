import type { MirrorDeps } from './mirror-deps.ts'
import type { MirrorContent, MirrorFile } from './mirror-file.ts'

export interface MirrorPersistenceDeps extends Pick<MirrorDeps, 'clock' | 'telemetry'> {
  readonly content: () => MirrorContent | undefined
}

const rewriteMs = 60_000

/**
 * Writes the mirror's content to its file. Callers do not wait for the writes. A failed write is
 * tried again after a minute, with the content of then.
 */
export class MirrorPersistence implements AsyncDisposable {
  readonly #file: Pick<MirrorFile, 'load' | 'write'>
  readonly #deps: MirrorPersistenceDeps
  /** A sentence that says why the file lacks content; null if it lacks nothing. */
  #unkeptBecause: string | null | undefined
  #written: MirrorContent | undefined
  #writing: Promise<void> | undefined
  #isWriting = false
  #cancelRewrite: (() => void) | undefined
  #isClosed = false

  constructor(file: Pick<MirrorFile, 'load' | 'write'>, deps: MirrorPersistenceDeps) {
    this.#file = file
    this.#deps = deps
  }

  get unkeptBecause(): string | null {
    return this.#unkeptBecause ?? null
  }

  load(): MirrorContent | undefined {
    try {
      const content = this.#file.load()
      this.#written = content
      this.#works()
      return content
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }

  /** Writes the content if it differs from what was written last. */
  keep(): void {
    if (!this.#isClosed && !this.#isWriting) this.#writing = this.#write()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#cancelRewrite?.()
    await this.#writing
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    try {
      for (let content = this.#unwritten(); content !== undefined; content = this.#unwritten()) {
        await this.#file.write(content)
        this.#written = content
        this.#works()
      }
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#isWriting = false
    }
  }

  #unwritten(): MirrorContent | undefined {
    const content = this.#deps.content()
    const written = this.#written
    return content?.set === written?.set && isAlike(content, written) ? undefined : content
  }

  #failed(error: unknown): void {
    const { clock, telemetry } = this.#deps
    const why = error instanceof Error ? error.message : String(error)
    this.#unkeptBecause = why
    telemetry.storeFailed(why)
    if (this.#isClosed) return
    this.#cancelRewrite ??= clock.after(rewriteMs, () => {
      this.#cancelRewrite = undefined
      this.keep()
    })
  }

  #works(): void {
    if (this.#unkeptBecause === null) return
    this.#unkeptBecause = null
    this.#deps.telemetry.storeWorks()
  }
}

function isAlike(one: MirrorContent | undefined, other: MirrorContent | undefined): boolean {
  return (
    one?.generation === other?.generation && JSON.stringify(one?.withheld) === JSON.stringify(other?.withheld)
  )
}

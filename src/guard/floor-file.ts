import { randomBytes, randomUUID } from 'node:crypto'
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import type { Clock } from '../lib/clock.ts'
import { requireRegularFile } from '../lib/regular-file.ts'
import type { Floor } from './floor.ts'
import { headerLine, isStorable, readFloorLines, recordLine } from './floor-lines.ts'
import { FloorTable } from './floor-table.ts'
import type { FloorId, Floors } from './floors.ts'

export interface FloorFileDeps {
  readonly clock: Pick<Clock, 'wall' | 'after'>
  readonly events: FloorFileEvents
  /** Locks the file for this process. Absent if no other process can write the file. */
  readonly lock?: (path: string) => Disposable | 'held'
}

/** Receives the events of the file. The methods must not throw. */
export interface FloorFileEvents {
  /** Reports that the file was damaged. The daemon renamed it to `path`, and begins without floors. */
  floorFileSetAside(why: string, path: string): void
  /**
   * Reports whether the file can be written. Called once when the file was opened for writing, and then
   * whenever writes begin to fail or succeed again.
   */
  floorFileWritable(isWritable: boolean, error?: unknown): void
  /**
   * Reports that another process has the lock. This process has only read the file. It will write the file
   * when the other process has ended.
   */
  floorFileInUse(): void
}

/** The milliseconds between two attempts to write the file, or to lock it. */
const retryMs = 5_000
/**
 * The file is rewritten when it has more than `2 * floors + slackLines` lines. Each change appends a line, so
 * the file would otherwise grow without limit.
 */
const slackLines = 1_000
const secretBytes = 32

/**
 * Keeps the floors of a `FloorTable` in a file, for one process. No caller waits for a write. Changes that
 * are made during a write are appended together after it. A crash loses the changes that are not yet on disk.
 * It may leave an incomplete last line, which the next start ignores.
 *
 * While another process has the lock, this process only reads the file. When that process ends, this one
 * takes over the file.
 */
export class FloorFile implements Floors {
  readonly #table: FloorTable
  readonly #path: string
  readonly #secret: Buffer
  readonly #deps: FloorFileDeps
  readonly #pending = new Map<string, Floor | undefined>()
  #handle: FileHandle | undefined
  #lock: Disposable | 'held' | undefined
  #lines = 0
  #writing: Promise<void> | undefined
  #isWritable = true
  #cancelRetry: (() => void) | undefined
  #isClosed = false

  private constructor(path: string, secret: Buffer, deps: FloorFileDeps) {
    this.#path = path
    this.#secret = secret
    this.#deps = deps
    this.#table = new FloorTable(secret, {
      clock: deps.clock,
      changed: (key, floor) => this.#changed(key, floor),
    })
  }

  /**
   * Opens the file, or creates a file that only its owner can read. If the file is damaged, it is renamed,
   * and the returned object has no floors.
   * @throws if the file cannot be read or written. While another process has the lock, also throws if the
   * file is missing or damaged.
   */
  static async open(path: string, deps: FloorFileDeps): Promise<FloorFile> {
    requireRegularFile(path)
    await using opening = new AsyncDisposableStack()
    const lock = deps.lock?.(path)
    if (typeof lock === 'object') opening.use(lock)
    const found = await contentOf(path)
    const content = found === undefined ? undefined : readFloorLines(found)
    if (lock === 'held' && typeof content !== 'object')
      throw new Error('another process writes it, and what it has cannot be read')
    if (typeof content === 'string') {
      const aside = `${path}.damaged-${new Date(deps.clock.wall()).toISOString().replaceAll(':', '')}`
      await rename(path, aside)
      deps.events.floorFileSetAside(content, aside)
    }
    const known = typeof content === 'object' ? content : undefined
    const file = new FloorFile(path, known?.secret ?? randomBytes(secretBytes), deps)
    for (const { key, floor } of known?.records ?? []) file.#table.restore(key, floor)
    file.#lock = lock
    if (lock === 'held') file.#waitForLock()
    else {
      await file.#rewrite()
      deps.events.floorFileWritable(true)
    }
    opening.move()
    return file
  }

  get size(): number {
    return this.#table.size
  }

  find(id: FloorId): Floor | undefined {
    return this.#table.find(id)
  }

  raise(id: FloorId, floor: Floor): Floor {
    return this.#table.raise(id, floor)
  }

  end(id: FloorId): void {
    this.#table.end(id)
  }

  keysOf(id: FloorId): readonly string[] {
    return this.#table.keysOf(id)
  }

  endKey(key: string): boolean {
    return this.#table.endKey(key)
  }

  /**
   * Resolves when all earlier changes are on disk, or their write has failed. While another process has the
   * lock, nothing is written and the promise resolves.
   */
  async flushed(): Promise<void> {
    await this.#writing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry?.()
    await this.#writing
    if (this.#pending.size > 0 && this.#lock !== 'held') await this.#write()
    await this.#handle?.close()
    if (typeof this.#lock === 'object') this.#lock[Symbol.dispose]()
    this.#lock = undefined
  }

  #waitForLock(): void {
    this.#isWritable = false
    this.#deps.events.floorFileInUse()
    this.#tryLockLater()
  }

  #tryLockLater(): void {
    this.#cancelRetry = this.#deps.clock.after(retryMs, () => {
      this.#lock = this.#deps.lock?.(this.#path)
      if (this.#lock === 'held') return this.#tryLockLater()
      this.#cancelRetry = undefined
      this.#writing = this.#takeOver().finally(() => {
        this.#writing = undefined
        if (this.#pending.size > 0 && this.#cancelRetry === undefined) this.#begin()
      })
    })
  }

  /** Adds the floors that the previous owner of the lock wrote to the file, and rewrites the file. */
  async #takeOver(): Promise<void> {
    const found = await contentOf(this.#path).catch(() => undefined)
    const content = found === undefined ? undefined : readFloorLines(found)
    if (typeof content === 'object' && content.secret.equals(this.#secret)) {
      const last = new Map(content.records.map(({ key, floor }) => [key, floor]))
      for (const [key, floor] of last) if (floor !== undefined) this.#table.restoreHigher(key, floor)
    }
    await this.#write()
  }

  #changed(key: string, floor: Floor | undefined): void {
    if (this.#isClosed || (floor !== undefined && !isStorable(floor))) return
    this.#pending.set(key, floor)
    if (this.#cancelRetry === undefined) this.#begin()
  }

  #begin(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
  }

  async #writeAll(): Promise<void> {
    // Waits for one microtask, so that changes which are made meanwhile are written together.
    await Promise.resolve()
    while (this.#pending.size > 0 && (await this.#write()));
  }

  /**
   * Appends the pending changes, or rewrites the whole file. If that fails, returns false, and the changes stay
   * pending.
   */
  async #write(): Promise<boolean> {
    const batch = new Map(this.#pending)
    this.#pending.clear()
    try {
      if (this.#handle === undefined || this.#lines > 2 * this.#table.size + slackLines) await this.#rewrite()
      else await this.#append(batch)
      this.#told(true)
      return true
    } catch (error) {
      for (const [key, floor] of batch) if (!this.#pending.has(key)) this.#pending.set(key, floor)
      await this.#handle?.close().catch(() => {})
      // The failed write may have left an incomplete last line. Without a handle, the next attempt rewrites
      // the whole file.
      this.#handle = undefined
      this.#told(false, error)
      this.#retryLater()
      return false
    }
  }

  async #append(batch: ReadonlyMap<string, Floor | undefined>): Promise<void> {
    const lines = [...batch].map(([key, floor]) => recordLine({ key, floor }))
    await this.#handle?.appendFile(lines.join(''))
    await this.#handle?.datasync()
    this.#lines += lines.length
  }

  /** Writes all floors to a new file, and then renames it over the old one, so that no reader sees a partial file. */
  async #rewrite(): Promise<void> {
    const lines = [headerLine(this.#secret)]
    for (const [key, floor] of this.#table.entries())
      if (isStorable(floor)) lines.push(recordLine({ key, floor }))
    const temporary = `${this.#path}.${randomUUID()}`
    const handle = await open(temporary, 'ax', 0o600)
    try {
      await handle.appendFile(lines.join(''))
      await handle.datasync()
      await rename(temporary, this.#path)
    } catch (error) {
      await handle.close()
      await rm(temporary, { force: true })
      throw error
    }
    await this.#handle?.close()
    this.#handle = handle
    this.#lines = lines.length - 1
  }

  #retryLater(): void {
    if (this.#isClosed) return
    this.#cancelRetry = this.#deps.clock.after(retryMs, () => {
      this.#cancelRetry = undefined
      this.#begin()
    })
  }

  #told(isWritable: boolean, error?: unknown): void {
    if (isWritable === this.#isWritable) return
    this.#isWritable = isWritable
    this.#deps.events.floorFileWritable(isWritable, error)
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

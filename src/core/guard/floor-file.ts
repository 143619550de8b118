import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename } from 'node:fs/promises'
import type { Clock } from '../../base/lib/clock.ts'
import { replaceFile } from '../../base/lib/own-file.ts'
import { readRegularFile, requireRegularFile } from '../../base/lib/regular-file.ts'
import { isDiskFull } from '../../base/lib/unusable-file.ts'
import type { Events } from '../../base/telemetry/events.ts'
import { headerLine, isStorable, readFloorLines, recordLine } from './floor-lines.ts'
import { type Floor, FloorTable } from './floors.ts'

export interface FloorFileDeps {
  readonly clock: Pick<Clock, 'wall' | 'after'>
  readonly events: FloorFileEvents
  readonly lock?: (path: string) => Disposable | 'held'
}

export type FloorFileEvents = Pick<Events, 'floorFileInUse' | 'floorFileSetAside' | 'floorFileWritable'>

const retryMs = 5_000
/**
 * Each change appends a line. The file is rewritten when it has more than `2 * floors + slackLines`
 * lines.
 */
const slackLines = 1_000
const secretBytes = 32
/** Much more than twice the floors that are kept, at 250 bytes for a line. */
const longestFile = 268_435_456

/**
 * Keeps floors in a file. A floor is the version of an answer that was served: no older answer to
 * its question may follow.
 * No caller waits for a write, so a crash loses the changes that are not yet on disk.
 * While another process has the lock, this process only reads the file. Later it takes the file
 * over.
 */
export class FloorFile extends FloorTable {
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
    super(secret, { clock: deps.clock, changed: (key, floor) => this.#changed(key, floor) })
    this.#path = path
    this.#secret = secret
    this.#deps = deps
  }

  /**
   * Opens the file, or creates it with access for its owner only. A damaged file is renamed, and
   * the floors begin empty. If the disk is full, the file is written when there is room.
   * @throws if the file cannot be read, if it cannot be written for another reason than a full disk,
   * or if it is missing or damaged while another process has the lock.
   */
  static async open(path: string, deps: FloorFileDeps): Promise<FloorFile> {
    requireRegularFile(path)
    await using opening = new AsyncDisposableStack()
    const lock = deps.lock?.(path)
    if (typeof lock === 'object') opening.use(lock)
    const content = contentOf(path)
    if (lock === 'held' && typeof content !== 'object')
      throw new Error('another process writes it, and what it has cannot be read')
    if (typeof content === 'string') {
      const aside = `${path}.damaged-${new Date(deps.clock.wall()).toISOString().replaceAll(':', '')}`
      await rename(path, aside)
      deps.events.floorFileSetAside(content, aside)
    }
    const known = typeof content === 'object' ? content : undefined
    const file = new FloorFile(path, known?.secret ?? randomBytes(secretBytes), deps)
    for (const { key, floor } of known?.records ?? []) file.restore(key, floor)
    file.#lock = lock
    if (lock === 'held') {
      file.#isWritable = false
      deps.events.floorFileInUse()
      file.#retryLater()
    } else await file.#writeFirst()
    opening.move()
    return file
  }

  async flushed(): Promise<void> {
    await this.#writing
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry?.()
    await this.#writing
    if (this.#pending.size > 0 && this.#lock !== 'held') await this.#write()
    await this.#handle?.close()
    if (typeof this.#lock === 'object') this.#lock[Symbol.dispose]()
    this.#lock = undefined
  }

  async #writeFirst(): Promise<void> {
    try {
      await this.#rewrite()
      this.#deps.events.floorFileWritable(true)
    } catch (error) {
      if (!isDiskFull(error)) throw error
      this.#told(false, error)
    }
  }

  /**
   * Reads the file again, once this process has the lock. The former owner of the lock may have
   * raised floors since this process read the file.
   */
  #tryTakeOver(): boolean {
    const lock = this.#deps.lock?.(this.#path)
    if (lock === 'held') return false
    using taking = new DisposableStack()
    taking.use(lock)
    const content = contentOf(this.#path)
    if (typeof content === 'object' && content.secret.equals(this.#secret)) {
      const last = new Map(content.records.map(({ key, floor }) => [key, floor]))
      for (const [key, floor] of last) if (floor !== undefined) this.restoreHigher(key, floor)
    }
    taking.move()
    this.#lock = lock
    return true
  }

  #changed(key: string, floor: Floor | undefined): void {
    if (this.#isClosed || (floor !== undefined && !isStorable(floor))) return
    // Without a handle, the next write is of all floors, and one change is enough to cause it.
    if (this.#handle === undefined && this.#writing === undefined && this.#pending.size > 0) return
    this.#pending.set(key, floor)
    if (this.#cancelRetry === undefined) this.#begin()
  }

  #begin(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
  }

  async #writeAll(): Promise<void> {
    // This pause of one microtask lets changes that follow at once share one write.
    await Promise.resolve()
    do if (!(await this.#write())) return this.#retryLater()
    while (this.#pending.size > 0)
  }

  async #write(): Promise<boolean> {
    const batch = new Map(this.#pending)
    this.#pending.clear()
    try {
      if (this.#lock === 'held' && !this.#tryTakeOver()) return false
      if (this.#handle === undefined || this.#lines > 2 * this.size + slackLines) await this.#rewrite()
      else await this.#append(batch)
      this.#told(true)
      return true
    } catch (error) {
      const [change] = batch
      if (this.#pending.size === 0 && change !== undefined) this.#pending.set(...change)
      await this.#handle?.close().catch(() => {})
      // The failed write may have left half a line. Without a handle, the next attempt rewrites the
      // whole file.
      this.#handle = undefined
      this.#told(false, error)
      return false
    }
  }

  async #append(batch: ReadonlyMap<string, Floor | undefined>): Promise<void> {
    const lines = [...batch].map(([key, floor]) => recordLine({ key, floor }))
    await this.#handle?.appendFile(lines.join(''))
    await this.#handle?.datasync()
    this.#lines += lines.length
  }

  async #rewrite(): Promise<void> {
    const lines = [headerLine(this.#secret)]
    for (const [key, floor] of this.entries()) if (isStorable(floor)) lines.push(recordLine({ key, floor }))
    await replaceFile(this.#path, [lines.join('')])
    const handle = await open(this.#path, 'a')
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

function contentOf(path: string): ReturnType<typeof readFloorLines> | undefined {
  try {
    return readFloorLines(readRegularFile(path, longestFile).toString('latin1'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

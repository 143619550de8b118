import { constants, openSync, write } from 'node:fs'
import { isatty } from 'node:tty'
import type { Clock } from '../lib/clock.ts'

/** Reports lines of the log that could not be written. */
export interface LogLoss {
  readonly linesLost: (lines: number) => void
  readonly writtenAgain: (linesLost: number, because: string) => void
}

const mostWaiting = 1_048_576
const againMs = 50
const lastLinesMs = 1_000
const newline = 10

/**
 * Writes the log to standard output without ever waiting for it. Lines that a full disk refuses are
 * lost, and so are lines above a mebibyte that nobody reads. Later lines are written as soon as
 * there is room.
 */
export class LogOutput {
  readonly #clock: Clock
  readonly #fd: number
  #waiting: string[] = []
  #waitingLength = 0
  #chunk: Buffer | undefined
  #offset = 0
  #isTorn = false
  #linesLost = 0
  #linesUntold = 0
  #because: string | undefined
  #loss: LogLoss | undefined
  #ended: (() => void) | undefined
  #gaveUp = false

  constructor(clock: Clock, fd = standardOutput()) {
    this.#clock = clock
    this.#fd = fd
  }

  tell(loss: LogLoss): void {
    this.#loss = loss
  }

  /** `because` is present while lines are being lost. */
  get status(): { readonly linesLost: number; readonly because?: string } {
    const because = this.#because
    return { linesLost: this.#linesLost, ...(because !== undefined && { because }) }
  }

  write(line: string): void {
    if (this.#waitingLength > mostWaiting) return this.#lose(1, 'nobody reads standard output')
    this.#waiting.push(line)
    this.#waitingLength += line.length
    if (this.#chunk === undefined) this.#next()
  }

  /** Resolves when all lines are written or lost, at the latest after a second. */
  end(): Promise<void> {
    if (this.#chunk === undefined || this.#gaveUp) return Promise.resolve()
    return new Promise((resolve) => {
      this.#ended = resolve
      this.#clock.after(lastLinesMs, () => {
        this.#gaveUp = true
        resolve()
      })
    })
  }

  #next(): void {
    if (this.#waiting.length === 0) {
      this.#chunk = undefined
      this.#ended?.()
      return
    }
    // A line of which the disk took only the beginning must not take the next line with it.
    this.#chunk = Buffer.from(`${this.#isTorn ? '\n' : ''}${this.#waiting.join('')}`)
    this.#offset = 0
    this.#waiting = []
    this.#waitingLength = 0
    this.#put(this.#chunk)
  }

  #put(chunk: Buffer): void {
    write(this.#fd, chunk, this.#offset, (error, written) => {
      if (error?.code === 'EAGAIN') return void this.#clock.after(againMs, () => this.#put(chunk))
      if (error !== null) {
        this.#lose(linesIn(chunk.subarray(this.#offset)), error.message)
        return this.#next()
      }
      this.#offset += written
      this.#isTorn = chunk[this.#offset - 1] !== newline
      if (this.#offset < chunk.length) return this.#put(chunk)
      this.#next()
      this.#wrote()
    })
  }

  #lose(lines: number, because: string): void {
    this.#linesLost += lines
    this.#linesUntold += lines
    this.#because = because
    this.#loss?.linesLost(lines)
  }

  #wrote(): void {
    if (this.#because === undefined) return
    const lost = this.#linesUntold
    const because = this.#because
    this.#linesUntold = 0
    this.#because = undefined
    this.#loss?.writtenAgain(lost, because)
  }
}

function linesIn(chunk: Buffer): number {
  return chunk.reduce((lines, byte) => (byte === newline ? lines + 1 : lines), 0)
}

/**
 * Returns a descriptor on which no write blocks. A terminal that its user has stopped (CTRL-S)
 * blocks writes, so it is opened once more. Node makes pipes and sockets non-blocking as soon as
 * `process.stdout` exists.
 */
function standardOutput(): number {
  void process.stdout
  return (isatty(1) ? (tryOpen('/proc/self/fd/1') ?? tryOpen('/dev/tty')) : undefined) ?? 1
}

/** The terminal may belong to another user, but each process may open `/dev/tty`. */
function tryOpen(terminal: string): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
  try {
    return openSync(terminal, O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    return undefined
  }
}

import { afterArrivals } from '../base/lib/after-arrivals.ts'
import { plainJson, plainText } from '../base/lib/plain-text.ts'
import { exitCodes } from './exit-codes.ts'
import { bounded } from './text-width.ts'

/**
 * The output of a command: `out` prints lines of the result, and `err` prints lines about problems.
 */
export interface Print {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /**
   * Shows on the terminal what the command is doing; undefined clears the message. Absent if
   * standard error is no terminal.
   */
  readonly progress?: (doing: string | undefined) => void
  readonly terminal?: Terminal
  /**
   * Resolves when all lines so far are written, or cannot be written.
   */
  readonly written?: () => Promise<void>
  /** Aborts when standard output cannot be written, because its reader has ended or a disk is full. */
  readonly unread?: AbortSignal
}

export interface Terminal {
  readonly columns: number | undefined
  readonly rows: number | undefined
  readonly redraw: (lines: readonly string[]) => void
}

/** Prints a text of this program that has several lines. */
export function printLines(print: Print['out'], text: string): void {
  for (const line of text.split('\n')) print(line)
}

/** Prints JSON of which no character but the line ends is invisible. Without `indent`, it is one line. */
export function printJson({ out }: Pick<Print, 'out'>, value: unknown, indent?: number): void {
  printLines(out, plainJson(JSON.stringify(value, undefined, indent)))
}

/** Reports arguments that the parser accepted but the command cannot use. Returns the exit code. */
export function misused(print: Print, text: string): number {
  print.err(`error: ${text}`)
  return exitCodes.usage
}

export function tellConfig(
  print: Print,
  {
    warnings,
    problems = [],
  }: { readonly warnings: readonly string[]; readonly problems?: readonly string[] },
): void {
  for (const warning of warnings) print.err(`warning: ${warning}`)
  for (const problem of problems) print.err(problem)
}

type OutputStream = Pick<NodeJS.WriteStream, 'write' | 'on' | 'writableLength' | 'isTTY' | 'columns' | 'rows'>

/** A `Print` whose output a process writes. */
interface ProcessPrint extends Print {
  readonly written: () => Promise<void>
  /** Returns the exit code if the result of the command could not be written. */
  readonly failed: () => number | undefined
}

export function printTo(stdout: OutputStream, stderr: OutputStream): ProcessPrint {
  const left = new AbortController()
  let failed: number | undefined
  const line = lineTo(stderr)
  const err = (text: string) => line(bounded(text))
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    left.abort()
    // If the program that reads this output, such as `head`, stops early, the next write fails with
    // EPIPE.
    if (code === 'EPIPE') return
    failed = exitCodes.output
    err(`error: standard output cannot be written: ${message}`)
  })
  // Nobody can be told that standard error cannot be written.
  stderr.on('error', () => {})
  return {
    out: lineTo(stdout),
    err,
    written: async () => {
      await Promise.all([stdout, stderr].map(flushed))
      // A stream reports an error only after the write.
      await new Promise<void>(afterArrivals)
    },
    failed: () => failed,
    unread: left.signal,
    // `\r` and `\x1b[K` make each progress message overwrite the one before it.
    ...(stderr.isTTY && { progress: (doing) => void stderr.write(`\r\x1b[K${plainText(doing ?? '')}`) }),
    ...(stdout.isTTY && { terminal: terminalOf(stdout) }),
  }
}

function flushed(stream: OutputStream): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve()
  return new Promise((resolve) => stream.write('', () => resolve()))
}

function lineTo(stream: OutputStream): (line: string) => void {
  return (line) => void stream.write(`${plainText(line)}\n`)
}

function terminalOf(stdout: OutputStream): Terminal {
  let isDrawn = false
  return {
    get columns() {
      // A pseudo-terminal reports 0 columns and 0 rows until a program sets its size.
      return stdout.columns || undefined
    },
    get rows() {
      return stdout.rows || undefined
    },
    redraw(lines) {
      const shown = lines.map((line) => `${plainText(line)}\x1b[K\n`).join('')
      stdout.write(`${isDrawn ? '\x1b[H' : '\x1b[2J\x1b[H'}${shown}\x1b[J`)
      isDrawn = true
    },
  }
}

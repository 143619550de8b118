import { exitCodes } from './exit-codes.ts'
import { type Print, printJson } from './print.ts'

/** Arguments after `--` are never options. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

/**
 * If the command fails before it prints a line, for example because of a bad option, its problems
 * are printed as one line of JSON.
 */
export async function oneLineOfJson(run: (print: Print) => Promise<number>, print: Print): Promise<number> {
  const problems: string[] = []
  let hasPrinted = false
  const exitCode = await run({
    ...print,
    out: (line) => {
      hasPrinted = true
      print.out(line)
    },
    err: (line) => {
      problems.push(line)
      print.err(line)
    },
  })
  if (exitCode === exitCodes.ok || hasPrinted) return exitCode
  const error = problems.filter(isProblem).map(withoutPrefix).join('\n')
  printJson(print, { kind: 'error', code: nameOf(exitCode), error })
  return exitCode
}

function isProblem(line: string): boolean {
  return !/^(?:warning: |See `)/.test(line)
}

function withoutPrefix(line: string): string {
  return line.replace(/^error: /, '')
}

function nameOf(exitCode: number): string {
  return Object.entries(exitCodes).find(([, code]) => code === exitCode)?.[0] ?? 'failed'
}

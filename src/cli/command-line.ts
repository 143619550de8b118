import { configFlags } from '../base/config/flags.ts'
import { KeepAlive } from '../base/lib/keep-alive.ts'
import { type CommandTable, flat } from './command.ts'
import { commands } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { type Print, printJson } from './print.ts'

/**
 * These flags belong to the program itself. If any other flag comes first, the arguments are
 * reordered so that the command comes first.
 */
const ofProgram = ['--help', '-h', '--version', '-V']

/**
 * Returns the exit code.
 * @param args the arguments after Node and the script.
 */
export async function runCommandLine(
  args: readonly string[],
  print: Print,
  table: CommandTable = commands,
): Promise<number> {
  const run = (to: Print) => new KeepAlive().during(() => runCommand(args, to, table))
  return wantsJson(args) ? oneLineOfJson(run, print) : run(print)
}

async function runCommand(args: readonly string[], print: Print, table: CommandTable): Promise<number> {
  const [byDefault] = table
  if (byDefault === undefined || !('run' in byDefault)) throw new TypeError('the first row must be a command')
  const [first = byDefault.name, ...rest] = args
  // Without arguments, the daemon starts without loading the parser, which it does not need.
  if (first === byDefault.name && rest.length === 0)
    return byDefault.run({ args: [], options: {}, flags: {} }, print)
  const { parseAndRun } = await import('./parser.ts')
  const isFlag = first.startsWith('-') && !ofProgram.includes(first)
  return parseAndRun(isFlag ? commandFirst(args, table) : args, print, table)
}

/**
 * Moves the command to the front if flags precede it: `--port 1 check-config` becomes `check-config
 * --port 1`.
 */
function commandFirst(args: readonly string[], table: CommandTable): readonly string[] {
  let at = 0
  while (args[at]?.startsWith('-') === true) at += takesValue(args[at] as string, table) ? 2 : 1
  const row = table.find(({ name }) => name === args[at])
  if (row === undefined) return [table[0]?.name ?? '', ...args]
  const end = at + ('run' in row ? 1 : 2)
  return [...args.slice(at, end), ...args.slice(0, at), ...args.slice(end)]
}

function takesValue(flag: string, table: CommandTable): boolean {
  const name = flag.replace(/^--/, '')
  return (
    Object.hasOwn(configFlags, name) ||
    flat(table).some(({ command }) => command.options?.[name]?.value !== undefined)
  )
}

/** Arguments after `--` are never options. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

/**
 * If the command fails before it prints a line, for example because of a bad option, its problems
 * are printed as one line of JSON.
 */
async function oneLineOfJson(run: (print: Print) => Promise<number>, print: Print): Promise<number> {
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
  const error = problems
    .filter((line) => !/^(?:warning: |See `)/.test(line))
    .map((line) => line.replace(/^error: /, ''))
    .join('\n')
  const [code = 'failed'] = Object.entries(exitCodes).find(([, each]) => each === exitCode) ?? []
  printJson(print, { kind: 'error', code, error })
  return exitCode
}

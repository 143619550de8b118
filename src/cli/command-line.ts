import { KeepAlive } from '../lib/keep-alive.ts'
import type { CommandTable } from './command.ts'
import { commandFirst } from './command-first.ts'
import { commands } from './commands.ts'
import { oneLineOfJson, wantsJson } from './json-failure.ts'
import type { Print } from './print.ts'

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

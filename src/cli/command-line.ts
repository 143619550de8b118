import type { CommandTable } from './command.ts'
import { commands } from './commands.ts'
import type { Print } from './print.ts'

/** Flags of the program itself. Other flags without a command belong to the first command. */
const ofProgram = ['--help', '-h', '--version', '-V']

/**
 * Runs the command that these arguments name.
 * @param args without Node and the script.
 * @returns the exit code.
 */
export async function runCommandLine(
  args: readonly string[],
  print: Print,
  table: CommandTable = commands,
): Promise<number> {
  const [byDefault] = table
  if (byDefault === undefined || !('run' in byDefault)) throw new TypeError('the first row must be a command')
  const [first = byDefault.name, ...rest] = args
  // The daemon starts without the parser where there is nothing to parse.
  if (first === byDefault.name && rest.length === 0)
    return byDefault.run({ args: [], options: {}, flags: {} }, print)
  const { parseAndRun } = await import('./parser.ts')
  const named = first.startsWith('-') && !ofProgram.includes(first) ? [byDefault.name, ...args] : args
  return parseAndRun(named, print, table)
}

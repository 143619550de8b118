import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { type ConfigFlag, type ConfigFlagName, configFlags } from '../base/config/flags.ts'
import { version } from '../base/lib/version.ts'
import type { CommandTable, Given, OptionRow, CommandRow as Row } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { type Print, printLines } from './print.ts'

const program = 'bft-scan-proxy'
const plainWidth = 100

export async function parseAndRun(
  args: readonly string[],
  print: Print,
  table: CommandTable,
): Promise<number> {
  let code: number = exitCodes.ok
  const run = async (row: Row, given: Given) => {
    code = await row.run(given, print)
  }
  try {
    await programOf(table, print, run).parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return exitCodes.ok
    const name = nameToLookUp(error, args, table)
    if (name !== undefined) print.err(`To look up a name or a party: \`${program} lookup ${name}\`.`)
    return exitCodes.usage
  }
}

/**
 * Returns the rejected word if it looks like a name or a party: the user probably forgot `lookup`.
 */
function nameToLookUp(
  { code }: CommanderError,
  args: readonly string[],
  [byDefault]: CommandTable,
): string | undefined {
  const isExcess = code === 'commander.excessArguments' && args[0] === byDefault?.name
  if (!isExcess && code !== 'commander.unknownCommand') return undefined
  const word = isExcess ? args.at(-1) : args[0]
  return word?.includes('.') || word?.includes('::') ? word : undefined
}

type Run = (row: Row, given: Given) => Promise<void>

function programOf(table: CommandTable, print: Print, run: Run): Command {
  const top = new Command(program)
  const width = print.terminal?.columns ?? plainWidth
  top
    .description('Trusted reads of the Canton Network: a daemon, and the tools beside it.')
    .version(version)
    .exitOverride()
    .showHelpAfterError(`See \`${program} --help\`.`)
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => printLines(print.out, withoutLineEnd(text)),
      writeErr: (text) => printLines(print.err, withoutLineEnd(text)),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    })
    .addHelpText(
      'after',
      '\nThe documents are in docs/ of the package, such as configuration.md and command-line.md.',
    )
  for (const row of table) {
    if ('run' in row) top.addCommand(commandOf(row, top, run))
    else {
      const group = named(row, top).showHelpAfterError(`See \`${program} ${row.name} --help\`.`)
      for (const inner of row.commands) group.addCommand(commandOf(inner, group, run))
      top.addCommand(group)
    }
  }
  return top
}

function commandOf(row: Row, parent: Command, run: Run): Command {
  const made = named(row, parent)
  const words = parent.name() === program ? row.name : `${parent.name()} ${row.name}`
  for (const { name, says, optional, several } of row.args ?? []) {
    const shown = several ? `${name}...` : name
    made.addArgument(new Argument(optional ? `[${shown}]` : `<${shown}>`, says))
  }
  for (const [name, option] of Object.entries(row.options ?? {})) made.addOption(optionOf(name, option))
  for (const name of row.flags ?? []) made.addOption(flagOf(name))
  made.showHelpAfterError(`See \`${program} ${words} --help\`.`)
  made.addHelpText('after', `\nExamples:\n${row.examples.map((line) => `  ${program} ${line}`).join('\n')}`)
  if (row.note !== undefined) made.addHelpText('after', `\n${row.note}`)
  return made.action(() => {
    requireNoBlank(made, row)
    return run(row, givenTo(made, row))
  })
}

function requireNoBlank(made: Command, { args = [] }: Row): void {
  const at = made.args.findIndex((text) => text.trim() === '')
  if (at < 0) return
  made.error(`error: ${(args[at] ?? args.at(-1))?.name} must not be empty`)
}

function named({ name, says }: { readonly name: string; readonly says: string }, parent: Command): Command {
  const description = `${says.charAt(0).toUpperCase()}${says.slice(1)}.`
  return new Command(name).summary(says).description(description).copyInheritedSettings(parent)
}

function givenTo(made: Command, { options = {}, flags = [] }: Row): Given {
  const typed = (name: string) => made.getOptionValue(new Option(`--${name}`).attributeName())
  const values = Object.entries(options).map(([name, { value, several }]) => [
    name,
    value === undefined ? typed(name) === true : (typed(name) ?? (several ? [] : undefined)),
  ])
  const texts = flags.map((name) => [name, typed(name)] as const).filter(([, text]) => text !== undefined)
  return { args: made.args, options: Object.fromEntries(values), flags: Object.fromEntries(texts) }
}

function optionOf(name: string, { says, value, required, short, several }: OptionRow): Option {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`
  if (value === undefined) return new Option(names, says)
  const option = new Option(`${names} <${value}>`, says).makeOptionMandatory(required === true)
  return several
    ? option.argParser((text, earlier: readonly string[] = []) => [...earlier, notEmpty(text)])
    : option.argParser(notEmpty)
}

function flagOf(name: ConfigFlagName): Option {
  const { value, says, choices }: ConfigFlag = configFlags[name]
  const shown = choices === undefined || name !== 'network' ? says : `${says}: ${choices.join(', ')}`
  return new Option(`--${name} <${value}>`, shown).argParser(notEmpty).helpGroup('Configuration:')
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

function withoutLineEnd(text: string): string {
  return text.replace(/\n$/, '')
}

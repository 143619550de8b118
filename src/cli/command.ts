import type { ConfigFlagName, FlagTexts } from '../config/flags.ts'
import type { Print } from './print.ts'

/**
 * The values that shell completion offers for an argument or option: these words, or for `files` the names of
 * files. For `anything`, shell completion offers nothing, because any value is possible.
 */
export type Completes = readonly string[] | 'files' | 'anything'

export interface OptionRow {
  readonly says: string
  /** The placeholder of the option's value in the help. Absent if the option takes no value. */
  readonly value?: string
  readonly required?: true
  /** The letter of the short form: `k` for `-k`. */
  readonly short?: string
  /** Whether the option may be given several times. */
  readonly several?: true
  readonly completes?: Completes
}

/** An argument of a command. A command's row lists its arguments in the order of the command line. */
export interface ArgumentRow {
  readonly name: string
  readonly says: string
  readonly optional?: true
  /** Whether the argument may be repeated. Only the last argument of a command may be repeated. */
  readonly several?: true
  readonly completes?: Completes
}

type OptionRows = Readonly<Record<string, OptionRow>>

type ValueOf<Row> = Row extends { readonly value: string; readonly several: true }
  ? readonly string[]
  : Row extends { readonly value: string }
    ? Row extends { readonly required: true }
      ? string
      : string | undefined
    : boolean

/**
 * The arguments and options that the user typed. The parser has checked them against the command's row, and
 * has rejected empty strings.
 */
export interface Given<Options extends OptionRows = OptionRows> {
  readonly args: readonly string[]
  readonly options: { readonly [Name in keyof Options]: ValueOf<Options[Name]> }
  readonly flags: FlagTexts
}

interface Row<Options extends OptionRows> {
  readonly name: string
  /** The command's description: one line, without a full stop. */
  readonly says: string
  readonly args?: readonly ArgumentRow[]
  readonly options?: Options
  /** The flags for options of the configuration that the command accepts. */
  readonly flags?: readonly ConfigFlagName[]
  /** A paragraph that `--help` prints at its end, such as the command's own exit codes. */
  readonly note?: string
  /** Examples: complete command lines, without the name of the program. */
  readonly examples: readonly string[]
  /** Loads the command's module and runs it. Resolves with the exit code. */
  readonly run: (given: Given<Options>, print: Print) => Promise<number>
}

/** A command for code that needs no exact types of options: the parser, the help and the completion. */
export interface CommandRow extends Omit<Row<OptionRows>, 'run'> {
  readonly run: (given: Given, print: Print) => Promise<number>
}

/** Commands that share their first word, such as `ledger verify` and `ledger rebuild`. */
export interface CommandGroup {
  readonly name: string
  readonly says: string
  readonly commands: readonly CommandRow[]
}

export type CommandTable = readonly (CommandRow | CommandGroup)[]

/**
 * Returns the row unchanged. Calling it makes the compiler check that `run` uses only options that the row
 * declares.
 */
export function command<const Options extends OptionRows = Record<never, never>>(
  row: Row<Options>,
): CommandRow {
  return row as unknown as CommandRow
}

/** Lists every command of a table together with the words that call the command, such as `ledger verify`. */
export function flat(
  table: CommandTable,
): readonly { readonly words: string; readonly command: CommandRow }[] {
  return table.flatMap((row) =>
    'run' in row
      ? { words: row.name, command: row }
      : row.commands.map((inner) => ({ words: `${row.name} ${inner.name}`, command: inner })),
  )
}

import type { ConfigFlagName, FlagTexts } from '../config/flags.ts'
import type { Print } from './print.ts'

/** The values that completion offers: these words, the names of files, or none. */
export type Completes = readonly string[] | 'files' | 'anything'

/** An option of a command. */
export interface OptionRow {
  readonly says: string
  /** The placeholder of its value. Absent if it takes none. */
  readonly value?: string
  readonly required?: true
  readonly completes?: Completes
}

/** An argument of a command, in its place. */
export interface ArgumentRow {
  readonly name: string
  readonly says: string
  readonly optional?: true
  /** True if it may be given several times. Only the last argument may. */
  readonly several?: true
  readonly completes?: Completes
}

type OptionRows = Readonly<Record<string, OptionRow>>

type ValueOf<Row> = Row extends { readonly value: string }
  ? Row extends { readonly required: true }
    ? string
    : string | undefined
  : boolean

/** The arguments and options of a call, checked against the command's row. No text is empty. */
export interface Given<Options extends OptionRows = OptionRows> {
  readonly args: readonly string[]
  readonly options: { readonly [Name in keyof Options]: ValueOf<Options[Name]> }
  readonly flags: FlagTexts
}

interface Row<Options extends OptionRows> {
  readonly name: string
  /** One line, without a full stop. */
  readonly says: string
  readonly args?: readonly ArgumentRow[]
  readonly options?: Options
  /** The flags of the configuration that it takes. */
  readonly flags?: readonly ConfigFlagName[]
  /** A paragraph that `--help` adds to options and examples, such as the command's own exit codes. */
  readonly note?: string
  /** Complete command lines, without the name of the program. */
  readonly examples: readonly string[]
  /** Loads the command's module and runs it. Resolves with the exit code. */
  readonly run: (given: Given<Options>, print: Print) => Promise<number>
}

/** A command, as the parser, the help and the completion see it. */
export interface CommandRow extends Omit<Row<OptionRows>, 'run'> {
  readonly run: (given: Given, print: Print) => Promise<number>
}

/** Commands under one name: `ledger verify`. */
export interface CommandGroup {
  readonly name: string
  readonly says: string
  readonly commands: readonly CommandRow[]
}

export type CommandTable = readonly (CommandRow | CommandGroup)[]

/** Checks that a command reads only the options of its row. */
export function command<const Options extends OptionRows = Record<never, never>>(
  row: Row<Options>,
): CommandRow {
  return row as unknown as CommandRow
}

/** Every command of a table with the words that call it. */
export function flat(
  table: CommandTable,
): readonly { readonly words: string; readonly command: CommandRow }[] {
  return table.flatMap((row) =>
    'run' in row
      ? { words: row.name, command: row }
      : row.commands.map((inner) => ({ words: `${row.name} ${inner.name}`, command: inner })),
  )
}

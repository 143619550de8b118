import type { ConfigFlagName, FlagTexts } from '../base/config/flags.ts'
import type { Print } from './print.ts'

export interface OptionRow {
  readonly says: string
  /** The placeholder of the option's value in the help. Absent if the option takes no value. */
  readonly value?: string
  readonly required?: true
  readonly short?: string
  readonly several?: true
}

export interface ArgumentRow {
  readonly name: string
  readonly says: string
  readonly optional?: true
  /** Whether the argument may be repeated. Only the last argument of a command may be. */
  readonly several?: true
}

type OptionRows = Readonly<Record<string, OptionRow>>

type OptionValue<Row> = Row extends { readonly value: string; readonly several: true }
  ? readonly string[]
  : Row extends { readonly value: string }
    ? Row extends { readonly required: true }
      ? string
      : string | undefined
    : boolean

/**
 * The arguments and options that the user typed. The parser has checked them against the command's
 * row, and has rejected empty strings.
 */
export interface Given<Options extends OptionRows = OptionRows> {
  readonly args: readonly string[]
  readonly options: { readonly [Name in keyof Options]: OptionValue<Options[Name]> }
  readonly flags: FlagTexts
}

interface WrittenCommand<Options extends OptionRows> {
  readonly name: string
  /** A description in one line, without a full stop. */
  readonly says: string
  readonly args?: readonly ArgumentRow[]
  readonly options?: Options
  readonly flags?: readonly ConfigFlagName[]
  readonly note?: string
  readonly examples: readonly string[]
  readonly run: (given: Given<Options>, print: Print) => Promise<number>
}

export interface CommandRow extends Omit<WrittenCommand<OptionRows>, 'run'> {
  readonly run: (given: Given, print: Print) => Promise<number>
}

export interface CommandGroup {
  readonly name: string
  readonly says: string
  readonly commands: readonly CommandRow[]
}

/** The values of options as a command gets them, by the rows that declare them. */
export type OptionValues<Options extends OptionRows> = Given<Options>['options']

export type CommandTable = readonly (CommandRow | CommandGroup)[]

/**
 * Returns the row unchanged. The call makes the compiler check that `run` uses only options that
 * the row declares.
 */
export function command<const Options extends OptionRows = Record<never, never>>(
  row: WrittenCommand<Options>,
): CommandRow {
  return row as unknown as CommandRow
}

export function flat(
  table: CommandTable,
): readonly { readonly words: string; readonly command: CommandRow }[] {
  return table.flatMap((row) =>
    'run' in row
      ? { words: row.name, command: row }
      : row.commands.map((inner) => ({ words: `${row.name} ${inner.name}`, command: inner })),
  )
}

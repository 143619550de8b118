import { type ConfigFlag, type ConfigFlagName, configFlags } from '../config/flags.ts'
import { type CommandRow, type CommandTable, type Completes, flat } from './command.ts'

export interface CompletionWord {
  readonly word: string
  readonly says: string
}

/** A position on the command line: the command typed so far, and the words that may follow. */
export interface Place {
  readonly words: string
  readonly commands: readonly CompletionWord[]
  readonly options: readonly (CompletionWord & { readonly value?: Completes })[]
  readonly args: readonly Completes[]
}

/**
 * Lists options that take a value, each with its command: `doctor --diff`. Completion must not
 * count the word after such an option as an argument.
 */
export function valueOptions(places: readonly Place[]): readonly string[] {
  return places.flatMap(({ words, options }) =>
    options.flatMap(({ word, value }) => (value === undefined ? [] : `${words} ${word}`)),
  )
}

const help: CompletionWord = { word: '--help', says: 'show how it is used' }
const version: CompletionWord = { word: '--version', says: 'show the version' }

export function placesOf(table: CommandTable): readonly Place[] {
  const [first] = table
  const byDefault = first !== undefined && 'run' in first ? optionsOf(first) : []
  return [
    { words: '', commands: table.map(wordOf), options: [...byDefault, help, version], args: [] },
    ...table.flatMap((row) =>
      'run' in row
        ? []
        : [{ words: row.name, commands: row.commands.map(wordOf), options: [help], args: [] }],
    ),
    ...flat(table).map(({ words, command }) => ({
      words,
      commands: [],
      options: [...optionsOf(command), help],
      args: (command.args ?? []).map(({ completes }): Completes => completes ?? 'anything'),
    })),
  ]
}

function wordOf({ name, says }: { readonly name: string; readonly says: string }): CompletionWord {
  return { word: name, says }
}

function optionsOf({ options = {}, flags = [] }: CommandRow): Place['options'] {
  const own = Object.entries(options).map(([name, { says, value, completes = 'anything' }]) =>
    value === undefined ? { word: `--${name}`, says } : { word: `--${name}`, says, value: completes },
  )
  return [...own, ...flags.map(flagWord)]
}

function flagWord(name: ConfigFlagName): CompletionWord & { readonly value: Completes } {
  const { says, choices, path }: ConfigFlag = configFlags[name]
  return { word: `--${name}`, says, value: path === undefined ? 'files' : (choices ?? 'anything') }
}

import { configFlags } from '../config/flags.ts'
import { type CommandTable, flat } from './command.ts'

/**
 * Moves the command to the front if flags precede it: `--port 1 check-config` becomes `check-config
 * --port 1`.
 */
export function commandFirst(args: readonly string[], table: CommandTable): readonly string[] {
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

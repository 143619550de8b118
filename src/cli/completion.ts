import type { CommandTable } from './command.ts'
import { bashScript } from './completion.bash.ts'
import { fishScript } from './completion.fish.ts'
import { zshScript } from './completion.zsh.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, printLines } from './print.ts'

const scripts: Readonly<Record<string, (table: CommandTable) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export async function completion(shell: string, table: CommandTable, print: Print): Promise<number> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) return misused(print, `SHELL must be bash, zsh or fish, not ${shell}`)
  printLines(print.out, script(table).trimEnd())
  return exitCodes.ok
}

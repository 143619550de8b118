import { type ParseArgsConfig, parseArgs } from 'node:util'
import { exitCodes, type Print } from './print.ts'

/** What a command is given; undefined where an option is none of its own, or lacks its value. */
export function parsed<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> | undefined {
  try {
    return parseArgs(config)
  } catch {
    return undefined
  }
}

/** Ends a command that was given what it does not take, saying so or how it is used. */
export function misused(print: Print, text: string): number {
  print.err(text)
  return exitCodes.usage
}

import { type ParseArgsConfig, parseArgs } from 'node:util'
import { exitCodes, type Print } from './print.ts'

/** Parses a command's arguments. Returns undefined for an unknown option, or for an option without its value. */
export function parsed<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> | undefined {
  try {
    return parseArgs(config)
  } catch {
    return undefined
  }
}

/** Rejects invalid arguments: prints the problem or the usage, and returns the exit code. */
export function misused(print: Print, text: string): number {
  print.err(text)
  return exitCodes.usage
}

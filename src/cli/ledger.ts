import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import { misused } from './arguments.ts'
import { exitCodes, type Print } from './print.ts'
import { usages } from './usages.ts'

/** Inspects the file of an embedded ledger that no daemon has open. Neither subcommand changes the file. */
export async function ledger(
  args: readonly string[],
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const [action, file, to, ...more] = args
  const isVerify = action === 'verify' && to === undefined
  const isRebuild = action === 'rebuild' && to !== undefined && more.length === 0
  if ((!isVerify && !isRebuild) || args.some((arg) => arg === '' || arg.startsWith('-')))
    return misused(print, usages.ledger)
  try {
    return isRebuild ? await rebuild(file as string, to, print) : await verify(file, print, options)
  } catch (error) {
    print.err(error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}

async function verify(given: string | undefined, print: Print, options: LoadConfigOptions): Promise<number> {
  const file = given ?? configured(print, options)
  if (typeof file !== 'string') return file
  const { verifyLedger } = await import('../ledger/embedded/rebuild.ts')
  const { updates, problems } = verifyLedger(file, await indexing())
  for (const problem of problems) print.err(problem)
  if (problems.length > 0) return exitCodes.failed
  print.out(`${file} is whole: ${updates} updates.`)
  return exitCodes.ok
}

async function rebuild(from: string, to: string, print: Print): Promise<number> {
  const { rebuildLedger } = await import('../ledger/embedded/rebuild.ts')
  const { updates, damage } = rebuildLedger(from, to, await indexing())
  print.out(`${to} has ${updates} updates of ${from}.`)
  if (damage === undefined) return exitCodes.ok
  print.err(`Those that follow are lost. ${damage}`)
  return exitCodes.failed
}

/** Returns the file that a daemon would open, or the exit code. */
function configured(print: Print, options: LoadConfigOptions): string | number {
  const loaded = loadConfig(options)
  if (!loaded.ok) {
    for (const problem of loaded.problems) print.err(problem)
    return exitCodes.badConfig
  }
  if (loaded.config.ledger.file !== undefined) return loaded.config.ledger.file
  print.err(`ledger.file is not set.\n\n${usages.ledger}`)
  return exitCodes.usage
}

async function indexing() {
  const { spliceInterpreter } = await import('../ledger/embedded/interpreter.splice.ts')
  return spliceInterpreter.indexing
}

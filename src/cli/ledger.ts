import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, tellConfig } from './print.ts'

/**
 * Checks the file of an embedded ledger, without changing the file. No daemon may have the file open
 * meanwhile.
 * @param given the path of the file; undefined for the configured file.
 */
export async function verify(
  given: string | undefined,
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const file = given ?? configured(print, options)
  if (typeof file !== 'string') return file
  return telling(print, async () => {
    const { verifyLedger } = await import('../ledger/embedded/rebuild.ts')
    const { updates, problems } = verifyLedger(file, await indexing())
    for (const problem of problems) print.err(problem)
    if (problems.length > 0) return exitCodes.failed
    print.out(`${file} is whole: ${updates} updates.`)
    return exitCodes.ok
  })
}

/** Makes a new ledger file from the updates in an old file. The old file stays unchanged. */
export async function rebuild(from: string, to: string, print: Print): Promise<number> {
  return telling(print, async () => {
    const { rebuildLedger } = await import('../ledger/embedded/rebuild.ts')
    const { updates, damage, lostSettings } = rebuildLedger(from, to, await indexing())
    print.out(`${to} has ${updates} updates of ${from}.`)
    if (damage !== undefined) print.err(`Those that follow are lost. ${damage}`)
    if (lostSettings !== undefined) print.err(lostSettings)
    return damage === undefined && lostSettings === undefined ? exitCodes.ok : exitCodes.failed
  })
}

/**
 * Runs `work`, which returns the exit code. If `work` throws, prints the error's message and returns
 * `exitCodes.failed`.
 */
async function telling(print: Print, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    print.err(error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}

/**
 * Returns the path of the ledger file that a daemon would open. If the configuration is bad or names no file,
 * prints the reason and returns the exit code.
 */
function configured(print: Print, options: LoadConfigOptions): string | number {
  const loaded = loadConfig(options)
  if (!loaded.ok) {
    tellConfig(print, loaded)
    return exitCodes.badConfig
  }
  if (loaded.config.ledger.file !== undefined) return loaded.config.ledger.file
  return misused(print, 'ledger.file is not set, so FILE must be given')
}

async function indexing() {
  const { spliceInterpreter } = await import('../ledger/embedded/interpreter.splice.ts')
  return spliceInterpreter.indexing
}

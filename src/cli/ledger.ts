import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, tellConfig } from './print.ts'

/**
 * Checks the file of an embedded ledger, without changing it. No daemon may have the file open
 * meanwhile.
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

async function telling(print: Print, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    print.err(error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}

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

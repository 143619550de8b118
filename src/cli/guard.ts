import type { LoadConfigOptions } from '../base/config/load.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print } from './print.ts'
import { askDaemon } from './running-daemon.ts'

interface GuardResetOptions {
  readonly name: string | undefined
  readonly key: string | undefined
  readonly operations: string | undefined
}

/**
 * Removes one floor from the rollback guard of a running daemon. A floor keeps the daemon from
 * serving an older version of an answer than it served before.
 */
export async function resetFloor(
  { name, key, operations }: GuardResetOptions,
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  if ((name === undefined) === (key === undefined)) return misused(print, 'give either NAME or --key')
  const [what = '', path = ''] =
    name === undefined ? [key, encodeURIComponent(key ?? '')] : [name, `names/${encodeURIComponent(name)}`]
  return askDaemon({ operations, json: false }, print, options, async (daemon) => {
    await daemon.endFloor(path)
    print.out(`The answer about ${what} may be older again.`)
    return exitCodes.ok
  })
}

import type { LoadConfigOptions } from '../config/load.ts'
import { exitCodes } from './exit-codes.ts'
import { type Print, printJson } from './print.ts'
import { askDaemon } from './running-daemon.ts'
import { isQuorumReachable, statusLines } from './status-lines.ts'

interface Given {
  readonly operations: string | undefined
  readonly json: boolean
}

/**
 * Resolves with 0 if the daemon is ready, can reach a quorum, and does not reject ledger writes;
 * else with 69.
 */
export async function status(given: Given, print: Print, options: LoadConfigOptions = {}): Promise<number> {
  return askDaemon(given, print, options, async (daemon) => {
    const found = await daemon.status()
    if (given.json) printJson(print, found)
    else {
      const { cases } = await daemon.evidence({ since: '1h' })
      for (const line of statusLines(found, cases, print.terminal?.columns)) print.out(line)
    }
    const isWell = found.ready && isQuorumReachable(found) && found.ledger.writesStopped === undefined
    return isWell ? exitCodes.ok : exitCodes.unavailable
  })
}

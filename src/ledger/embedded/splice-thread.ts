import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { spliceCatalog } from '../visibility/catalog.splice.ts'
import { spliceInterpreter } from './interpreter.splice.ts'
import type { Start } from './protocol.ts'
import { serveLedger } from './thread.ts'
import type { MoveIn } from './thread-service.ts'

/** Serves a ledger of Splice's templates to whoever started this worker thread. */
export function serveSpliceLedger(moveIn?: MoveIn): void {
  if (parentPort === null) throw new Error('a ledger is served by a worker thread')
  letOthersFirst()
  const served = { interpreter: spliceInterpreter, catalog: spliceCatalog, moveIn }
  serveLedger(parentPort, workerData as Start, served)
}

/** Where there are fewer cores than threads who serves goes first. Only Linux has a priority for each thread. */
function letOthersFirst(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}

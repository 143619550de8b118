import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { spliceCatalog } from '../visibility/catalog.splice.ts'
import { spliceInterpreter } from './interpreter.splice.ts'
import type { ServiceProtocol, Start } from './protocol.ts'
import { serveLedger } from './thread.ts'
import type { StartService } from './thread-service.ts'

export function serveSpliceLedger<P extends ServiceProtocol>(start?: StartService<P>): void {
  if (parentPort === null) throw new Error('a ledger is served by a worker thread')
  lowerPriority()
  const served = { interpreter: spliceInterpreter, catalog: spliceCatalog, start }
  serveLedger(parentPort, workerData as Start, served)
}

/**
 * Threads that handle HTTP requests have priority. Only Linux has a priority for each thread;
 * elsewhere, the call would change the priority of the whole process.
 */
function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}

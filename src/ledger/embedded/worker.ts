import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { spliceCatalog } from '../visibility/catalog.splice.ts'
import { spliceInterpreter } from './interpreter.splice.ts'
import type { Start } from './protocol.ts'
import { serveLedger } from './thread.ts'

if (parentPort === null) throw new Error('this file is the start of a worker thread')
letOthersFirst()
serveLedger(parentPort, workerData as Start, spliceInterpreter, spliceCatalog)

/** Where there are fewer cores than threads who serves goes first. Only Linux has a priority for each thread. */
function letOthersFirst(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}

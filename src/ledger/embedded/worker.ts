import { parentPort, workerData } from 'node:worker_threads'
import { spliceCatalog } from '../visibility/catalog.splice.ts'
import { spliceInterpreter } from './interpreter.splice.ts'
import type { Start } from './protocol.ts'
import { serveLedger } from './thread.ts'

if (parentPort === null) throw new Error('this file is the start of a worker thread')
serveLedger(parentPort, workerData as Start, spliceInterpreter, spliceCatalog)

import { flushCompileCache } from 'node:module'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { startNameService } from './name-service/in-thread.ts'

serveSpliceLedger(startNameService)
// The daemon sets V8 flags later, and a start reuses compiled code only if the flags are the same.
flushCompileCache()

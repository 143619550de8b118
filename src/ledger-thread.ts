import { flushCompileCache } from 'node:module'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { startNameService } from './name-service/in-thread.ts'

serveSpliceLedger(startNameService)
// Saves compiled code before the daemon sets V8 flags. Node itself would save it when the process
// ends, under those flags. The next start loads it without the flags, and V8 would reject it.
flushCompileCache()

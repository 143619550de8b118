import { flushCompileCache } from 'node:module'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { startNameService } from './name-service/in-thread.ts'

serveSpliceLedger(startNameService)
// Saves the compiled code for the next start of the daemon. Node by itself would save it only when the
// process ends. By then the daemon has set V8 flags, and the next start, which begins without them, would
// reject the code.
flushCompileCache()

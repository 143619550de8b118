import { flushCompileCache } from 'node:module'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { startNameService } from './name-service/in-thread.ts'

serveSpliceLedger(startNameService)
// By default, Node saves the compiled code at the end of the process. The daemon has set V8 flags by then. The next
// start begins without these flags, so V8 would reject code that was saved under them. The code is therefore saved at
// once.
flushCompileCache()

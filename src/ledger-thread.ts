import { flushCompileCache } from 'node:module'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { startNameService } from './name-service/in-thread.ts'

serveSpliceLedger(startNameService)
// Saves the compiled code for the next start of the daemon. By default, Node saves it at the end of the
// process, when the daemon has already set V8 flags. V8 would reject that code at the next start, which
// begins without these flags.
flushCompileCache()

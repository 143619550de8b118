import { flushCompileCache } from 'node:module'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { startNameService } from './name-service/in-thread.ts'

serveSpliceLedger(startNameService)
// Node would save compiled code only when the process ends. By then the daemon has set V8 flags,
// without which the next start would reject the code.
flushCompileCache()

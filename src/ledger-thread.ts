import { flushCompileCache } from 'node:module'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { residentNameService } from './name-service/in-thread.ts'

serveSpliceLedger(residentNameService)
// Before the daemon sets its flags: code that is kept under other ones is of no use to the next start.
flushCompileCache()

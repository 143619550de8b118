import { flushCompileCache } from 'node:module'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { startNameService } from './name-service/in-thread.ts'

serveSpliceLedger(startNameService)
// Writes the compile cache at once. The daemon sets V8 flags later, and the next start could not use code that
// was compiled under other flags.
flushCompileCache()

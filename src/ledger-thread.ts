import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'
import { residentNameService } from './name-service/resident.ts'

serveSpliceLedger(residentNameService)

import { residentAutomation } from './automation/resident.ts'
import { serveSpliceLedger } from './ledger/embedded/splice-thread.ts'

serveSpliceLedger(residentAutomation)

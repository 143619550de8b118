import { serveSpliceLedger } from './splice-thread.ts'

serveSpliceLedger()

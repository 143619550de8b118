import { serveSpliceLedger } from '../../../src/ledger/embedded/splice-thread.ts'

/** Throws an error that nobody catches, which ends the thread at its first call. */
function fail(): Promise<never> {
  setImmediate(() => {
    throw new Error('nobody caught this')
  })
  return new Promise(() => {})
}

serveSpliceLedger(() => ({ answer: fail }))

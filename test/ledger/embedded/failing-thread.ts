import { serveSpliceLedger } from '../../../src/ledger/embedded/splice-thread.ts'

/** Throws an error that nobody catches, so that the first call of `ask` ends the thread. */
function fail(): Promise<never> {
  setImmediate(() => {
    throw new Error('nobody caught this')
  })
  return new Promise(() => {})
}

serveSpliceLedger(() => ({ answer: fail }))

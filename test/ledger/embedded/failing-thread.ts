import { serveSpliceLedger } from '../../../src/ledger/embedded/splice-thread.ts'

/** A mistake that nobody catches ends the thread as soon as it is asked something. */
function fail(): Promise<never> {
  setImmediate(() => {
    throw new Error('nobody caught this')
  })
  return new Promise(() => {})
}

serveSpliceLedger(() => ({ answer: fail }))

import { serveSpliceLedger } from '../../../src/ledger/embedded/splice-thread.ts'

/** Never ends, so that the thread answers nothing after the first call of `ask`. */
function forever(): never {
  for (;;);
}

serveSpliceLedger(() => ({ answer: forever }))

import { setImmediate } from 'node:timers/promises'
import { serveSpliceLedger } from '../../../src/ledger/embedded/splice-thread.ts'

/**
 * Requests to a service that writes a setting so many times, one after the other. Between the writes it reads, or waits
 * for turns of the event loop. With `forever` it then waits for something that never happens.
 */
export interface WritingProtocol {
  readonly request: {
    readonly key: string
    readonly writes: number
    readonly turns: number
    readonly forever: boolean
  }
  readonly answer: string | undefined
  readonly event: never
}

serveSpliceLedger<WritingProtocol>(({ ledger }) => ({
  answer: async ({ key, writes, turns, forever }) => {
    for (let write = 1; write <= writes; write++) {
      await ledger.setSetting('party', key, String(write))
      await ledger.setting('party', key)
      for (let turn = 0; turn < turns; turn++) await setImmediate()
    }
    if (forever) await new Promise(() => {})
    return ledger.setting('party', key)
  },
}))

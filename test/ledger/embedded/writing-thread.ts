import { setImmediate } from 'node:timers/promises'
import { serveSpliceLedger } from '../../../src/ledger/embedded/splice-thread.ts'

/**
 * A service that writes one setting `writes` times. After each write, the service reads the setting and waits for
 * `turns` turns of the event loop. With `forever`, no answer ever comes.
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

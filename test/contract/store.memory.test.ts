import { openMemoryStore } from '../cache/open.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { storeContract } from './store.contract.ts'

storeContract('memory', async () => {
  const clock = new ManualClock()
  const { store, invalidations } = openMemoryStore(clock)
  return { store, clock, invalidations, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
})

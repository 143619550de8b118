import { openMemoryStore } from '../cache/open.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { storeContract } from './store.contract.ts'

storeContract('memory', async () => {
  const clock = new ManualClock()
  const { store, generations } = openMemoryStore(clock)
  return { store, clock, generations, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
})

import { MemoryMirrorStore } from '../../src/mirror/store.memory.ts'
import { mirrorStoreContract } from './mirror-store.contract.ts'

mirrorStoreContract('memory', async () => {
  const store = new MemoryMirrorStore()
  return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
})

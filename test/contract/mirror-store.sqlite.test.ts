import { openSqliteMirrorStore } from '../../src/mirror/store.sqlite.ts'
import { mirrorFolder } from '../mirror/mirror-folder.ts'
import { mirrorStoreContract } from './mirror-store.contract.ts'

mirrorStoreContract('SQLite', async () => {
  const folder = await mirrorFolder()
  const store = openSqliteMirrorStore({ file: folder.file, network: 'devnet' })
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
})

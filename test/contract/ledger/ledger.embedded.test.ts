import { openLedger, temporaryFolder } from '../../ledger/embedded/open.ts'
import { ledgerContract } from './ledger.contract.ts'

ledgerContract('in a file', async () => {
  const folder = await temporaryFolder()
  const { ledger, clock } = await openLedger({ file: folder.file })
  return {
    ledger,
    clock,
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
})

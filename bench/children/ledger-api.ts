import { serveParent } from '../child.ts'
import { type LedgerApi, openLedgerApi } from '../ledger-api.ts'

let api: LedgerApi | undefined

serveParent({
  async start({ file }: { file: string }) {
    api = await openLedgerApi(file)
  },
  url: () => api?.url,
  rssBytes: () => process.memoryUsage.rss(),
})

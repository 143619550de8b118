import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { newFolder } from '../support/new-folder.ts'
import { receiptVectors } from '../support/receipt-vectors.ts'
import { type Opened, open, openBrowser } from './browser.ts'

const page = `<!doctype html><link rel="icon" href="data:,">
<script type="module">
  import { ReceiptMemory, verifyReceipt } from '/receipts.js'
  globalThis.outcomeOf = async ({ receipts, seen = [], now, ...wanted }) => {
    const options = { ...wanted, memory: new ReceiptMemory(), now: new Date(now * 1000) }
    for (const earlier of seen) await verifyReceipt(earlier, { ...options, question: earlier.request })
    const { kind, reason } = await verifyReceipt(receipts, options)
    return reason ?? kind
  }
</script>`

const folder = newFolder(afterAll)
let server: Server
let browser: Browser
let opened: Opened

beforeAll(async () => {
  await build({
    entryPoints: [join(top, 'src/client/receipts/receipts.ts')],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  })
  server = createServer(async ({ url = '' }, response) => {
    if (url === '/') response.setHeader('content-type', 'text/html').end(page)
    else response.setHeader('content-type', 'text/javascript').end(await readFile(join(folder, url)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  browser = await openBrowser()
  opened = await open(browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}, 120_000)
afterAll(async () => {
  await browser.close()
  server.close()
})

test.each(receiptVectors)('in a browser: %s', async (_, { expect: outcome, ...vector }) => {
  expect(await opened.page.evaluate(`outcomeOf(${JSON.stringify(vector)})`)).toBe(outcome)
})

import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { testKey } from '../support/receipt-signer.ts'
import { open, showing } from './browser.ts'
import { violations } from './steps.ts'

const shown = showing(() => startEmbedded())

test('a receipt that another key signed than the one that a visitor gave is refused', async () => {
  await using opened = await open(shown.browser, shown.running.daemon.operations)
  const { page, troubles } = opened
  const { text } = await shown.running.operations('/ui/receipt?by=name&q=dso.cns')
  const buffer = Buffer.from(text)
  await page.getByLabel('Drop a .receipt.json file').setInputFiles({
    name: 'dso.receipt.json',
    mimeType: 'application/json',
    buffer,
  })
  const verdict = page.locator('#receipt-verdict')
  const other = 'Refused: No pinned key has the id'
  await verdict.getByText('Verified: ').waitFor()
  expect(await verdict.textContent()).not.toContain(other)
  const [, own = ''] = /keyid=\\"([\w-]{43})\\"/.exec(text) ?? []
  const given = page.getByLabel('The key that you trust')
  await given.fill(testKey('another').keyid)
  await page.keyboard.press('Tab')
  await verdict.locator('.receipt-says').getByText(other).waitFor()
  expect(await verdict.textContent()).not.toContain('Verified')
  expect(await verdict.locator('.stance-agreed').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await given.fill(own)
  await page.keyboard.press('Tab')
  await verdict.getByText('Verified: ').waitFor()
  await verdict.getByText('The key that you gave: ').waitFor()
  expect(await verdict.textContent()).not.toContain(other)
  expect(troubles).toEqual([])
})

test('a daemon without keys judges no receipt until the visitor gives a key', async () => {
  const { text } = await shown.running.operations('/ui/receipt?by=name&q=dso.cns')
  await using keyless = await startEmbedded({ 'receipts.sign': 'off' })
  await using opened = await open(shown.browser, keyless.daemon.operations)
  const { page } = opened
  await page.getByLabel('Drop a .receipt.json file').setInputFiles({
    name: 'dso.receipt.json',
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  })
  const verdict = page.locator('#receipt-verdict')
  await verdict.getByText('This daemon lists no key: give the key that you trust.').waitFor()
  const [, own = ''] = /keyid=\\"([\w-]{43})\\"/.exec(text) ?? []
  await page.getByLabel('The key that you trust').fill(own)
  await page.keyboard.press('Tab')
  await verdict.getByText('Verified: ').waitFor()
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Running, startEmbedded } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'
import { DaemonProcess } from '../support/process.ts'
import { open, openBrowser } from './browser.ts'
import { isLive, lookUp, violations, visit } from './steps.ts'

let browser: Browser
const folder = newFolder(afterAll)

beforeAll(async () => {
  browser = await openBrowser()
}, 60_000)

afterAll(async () => {
  await browser.close()
})

const link = (page: Page) => page.getByRole('link', { name: 'Download receipt' })
const problem = (page: Page) => page.locator('#answer .receipt-problem')

async function downloaded(page: Page) {
  const downloading = page.waitForEvent('download')
  await link(page).click()
  const download = await downloading
  const file = join(folder, download.suggestedFilename())
  await download.saveAs(file)
  return { name: download.suggestedFilename(), text: await readFile(file, 'utf8') }
}

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (_, javaScriptEnabled) => {
  test('a receipt is downloaded after 30 days passed on the localnet', async () => {
    await using running = await startEmbedded()
    await running.daemon.localnet?.advance?.(30 * 86_400_000)
    await using opened = await open(browser, running.daemon.operations, { javaScriptEnabled })
    const { page, troubles } = opened
    await lookUp(page, 'dso.cns')
    const { name, text } = await downloaded(page)
    expect(name).toBe('dso.cns.receipt.json')
    expect(JSON.parse(text).keys).toHaveLength(1)
    expect(troubles).toEqual([])
  })
})

test('the card shows why a download was refused, and the next download works', async () => {
  await using running = await startEmbedded()
  await using opened = await open(browser, running.daemon.operations)
  const { page } = opened
  await lookUp(page, 'dso.cns')
  const before = page.url()
  const address = await link(page).getAttribute('href')
  const pointTo = (to: string | null) =>
    page.evaluate(`document.querySelector('a[data-receipt]').setAttribute('href', '${to}')`)
  await pointTo('ui/receipts/forgotten')
  await link(page).click()
  await problem(page).getByText('No receipt: This daemon no longer has the receipt').waitFor()
  expect(page.url()).toBe(before)
  expect(await problem(page).getAttribute('role')).toBe('status')
  expect(await violations(page)).toEqual([])
  await pointTo(address)
  await downloaded(page)
  expect(await problem(page).textContent()).toBe('')
})

test.each(['SIGSTOP', 'SIGKILL'] as const)(
  'a download from a daemon that got %s leaves the page as it is and says so',
  async (signal) => {
    await using daemon = await DaemonProcess.start()
    const { operations } = await daemon.listening()
    await using opened = await open(browser, operations)
    const { page } = opened
    await isLive(page)
    await lookUp(page, 'dso.cns')
    const before = page.url()
    await page.clock.install()
    process.kill(daemon.pid, signal)
    await link(page).click()
    await page.clock.fastForward(61_000)
    await problem(page).getByText('No receipt was downloaded.').waitFor()
    expect(page.url()).toBe(before)
    await page
      .locator('#answer .source time')
      .getByText(/^(1 minute|\d\d seconds) ago$/)
      .waitFor()
    if (signal === 'SIGKILL') return
    process.kill(daemon.pid, 'SIGCONT')
    await isLive(page)
    await downloaded(page)
  },
)

test('the button says how long the receipt is valid, and that a key without a file is lost with the daemon', async () => {
  const ends = 'The key of this daemon is only in memory, and is lost when the daemon ends.'
  const said = async ({ daemon }: Running<undefined>, name: string) => {
    await using opened = await open(browser, daemon.operations)
    const { page } = opened
    await lookUp(page, name)
    const link = await page.locator('.receipt-link').textContent()
    await visit(page, 'receipts')
    return {
      link,
      zone: await page.locator('#receipt').textContent(),
    }
  }
  await using running = await startEmbedded()
  const value = await said(running, 'dso.cns')
  expect(value.link).toContain(
    'This daemon signed the answer, with the votes that decided it. The receipt is current for 5 minutes, and proves later what was so then.',
  )
  expect(value.link).toContain(ends)
  expect(value.zone).toContain(ends)
  expect((await said(running, 'nobody.unverified.cns')).link).toContain('current for 5 seconds,')
  await using kept = await startEmbedded({ 'receipts.keyFile': join(folder, 'keys.json') })
  const filed = await said(kept, 'dso.cns')
  expect(filed.link).toContain('current for 5 minutes,')
  expect(`${filed.link}${filed.zone}`).not.toContain('only in memory')
})

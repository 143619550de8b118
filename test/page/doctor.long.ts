import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbedded, startLiveRemote } from '../support/daemon.ts'
import { Scans } from '../support/scans.ts'
import { open, openBrowser } from './browser.ts'
import { isLive, violations } from './steps.ts'

const press = { name: 'Examine the network from here' }

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
}, 60_000)

afterAll(() => browser.close())

test('a press of the button shows that the doctor examines, and then the table, in every window and scheme', async () => {
  await using running = await startEmbedded({
    'localnet.superValidators': 7,
    'scanClient.egressAddresses': ['203.0.113.7'],
  })
  const { localnet, operations } = running.daemon
  await localnet?.setFault('sv-2', { kind: 'refuse' })
  await localnet?.setFault('sv-5', { kind: 'hang' })
  await using acting = await open(browser, `${operations}/network`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page, troubles } = acting
  await using watching = await open(browser, `${operations}/network`)
  await isLive(watching.page)
  const doctor = page.getByRole('region', { name: 'Doctor' })
  expect(await doctor.locator('table').count()).toBe(0)

  await doctor.getByRole('button', press).click()
  await doctor.getByText('The examination runs').waitFor()
  await doctor.getByText('something is wrong at some super validators.', { exact: false }).first().waitFor()
  expect(new URL(page.url()).hash).toBe('#doctor')
  const rows = doctor.locator('tbody')
  expect(await rows.count()).toBe(7)
  await rows.nth(1).getByText('refused', { exact: true }).waitFor()
  await rows.nth(1).getByText('refuses connections').waitFor()
  await rows.nth(4).getByText('timeout', { exact: true }).waitFor()
  expect(await rows.nth(0).locator('.token.stance-dissented').count()).toBe(0)

  await doctor.getByRole('button', { name: 'copy the text for sv-2' }).click()
  await doctor.getByText('copied').waitFor()
  const copied = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(copied).toMatch(
    /^To the operator of the super validator sv-2:\n\n.*from our address 203\.0\.113\.7/s,
  )

  await watching.page.locator('#live-doctor table').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1100, 390]) {
      const viewport = { width, height: 800 }
      await using looking = await open(browser, `${operations}/network`, { colorScheme, viewport })
      await looking.page.locator('#live-doctor table').waitFor()
      expect(await violations(looking.page)).toEqual([])
      expect(await looking.page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(looking.troubles).toEqual([])
    }
  }
  expect([...troubles, ...watching.troubles]).toEqual([])
})

test('on the first day the doctor stands below the seeds, and works without scripts', async () => {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  scans.say({ refuses: { status: 403, error: 'not on the allow-list' } })
  await using remote = await startLiveRemote(scans.urls)
  await using opened = await open(browser, `${remote.daemon.operations}/network`, {
    javaScriptEnabled: false,
  })
  const { page } = opened
  await page.locator('#super-validators + #doctor').getByRole('button', press).click()
  await expect
    .poll(() => page.reload().then(() => page.locator('#doctor').textContent()), { timeout: 20_000 })
    .toContain('0 of 4 scans can be used from here')
  expect(await page.locator('.steps .token.stance-dissented').count()).toBeGreaterThanOrEqual(4)
  await page.locator('.letters summary').first().click()
  await page.locator('.letters pre').first().getByText('not on the allow-list').waitFor()
})

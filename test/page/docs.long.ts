import { expect, test } from 'vitest'
import { startLiveStage } from '../support/daemon.ts'
import { open, showing } from './browser.ts'

const shown = showing(() => startLiveStage())

/** Scalar, which draws the page, tries whether `eval` is permitted and works without `eval`. */
const permittedTroubles = ['forbidden: script-src eval']

test('the reference shows an operation with its schema and example, sends a request, and fetches nothing from elsewhere', async () => {
  await using opened = await open(shown.browser, 'about:blank')
  const { page, troubles } = opened
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.goto(`${shown.running.daemon.http}/`)
  expect(page.url()).toBe(`${shown.running.daemon.http}/docs`)
  await page.getByRole('link', { name: 'Look up ANS entry by name' }).click()
  await page.getByRole('heading', { name: 'Look up ANS entry by name' }).waitFor()
  await page.getByText('/api/validator/v0/scan-proxy/ans-entries/by-name/{name}', { exact: true }).waitFor()
  const lookup = `${shown.running.daemon.http}/v0/scan-proxy/ans-entries/by-name/alice.unverified.cns`
  const snippet = page.locator('pre').filter({ hasText: lookup })
  expect((await snippet.textContent())?.trim()).toBe(`curl ${lookup}`)
  await page.getByText('"https://alice.example"').first().waitFor()
  const answered = page.waitForResponse((response) => response.url().includes('/v0/scan-proxy/'))
  await page
    .getByRole('button', { name: /Test Request.*by-name/ })
    .first()
    .click()
  await page.getByRole('button', { name: /^Send/ }).first().click()
  expect((await answered).headers()).toHaveProperty('x-bft-quorum')
  expect(
    urls.filter((url) => !url.startsWith(`${shown.running.daemon.http}/`) && !url.startsWith('data:')),
  ).toEqual([])
  expect(troubles.filter((trouble) => !permittedTroubles.includes(trouble))).toEqual([])
})

test('the side bar has a title in place of a path for each operation, and each read once', async () => {
  await using opened = await open(shown.browser, `${shown.running.daemon.http}/docs`)
  const { page } = opened
  await page.getByRole('link', { name: 'Look up ANS entry by name' }).waitFor()
  for (const chapter of ['Scan API', 'Token registry', 'Names and wallet', 'JSON Ledger API', 'Daemon'])
    await page.getByRole('button', { name: `Open Group - ${chapter}` }).click()
  await page.getByRole('link', { name: 'Ledger end' }).waitFor()
  const links = await page.getByRole('complementary').getByRole('link').allTextContents()
  const titles = links.map((text) => text.replace(/HTTP Method:.*/, ''))
  expect(titles.length).toBeGreaterThan(100)
  expect(titles.filter((title) => !/^[A-Z][\w ]+$/.test(title))).toEqual([])
  expect(titles.filter((title) => title === 'DSO info')).toHaveLength(1)
})

test('the page of the operations address leads to the reference, and the reference leads back', async () => {
  await using opened = await open(shown.browser, shown.running.daemon.operations)
  const { page } = opened
  await page.getByRole('link', { name: 'Reference of the API' }).click()
  await page.waitForURL(`${shown.running.daemon.http}/docs`)
  await page.getByRole('link', { name: 'Back to the page of this daemon' }).click()
  await page.waitForURL(`${shown.running.daemon.operations}/`)
  await page.getByRole('heading', { name: 'Look up a name' }).waitFor()
})

test('the reference leads nowhere where the visitor did not come from the page', async () => {
  await using opened = await open(shown.browser, `${shown.running.daemon.http}/docs`)
  const back = opened.page.locator('#back')
  await back.waitFor({ state: 'attached' })
  expect(await back.isVisible()).toBe(false)
})

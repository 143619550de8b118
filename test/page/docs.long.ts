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
  const operation = '/v0/scan-proxy/ans-entries/by-name/{name}'
  await page.getByRole('link', { name: operation }).first().click()
  await page.getByRole('heading', { name: 'The entry registered under a name.' }).first().waitFor()
  await page
    .getByText(`${shown.running.daemon.http}/v0/scan-proxy/ans-entries/by-name/alice.unverified.cns`)
    .waitFor()
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

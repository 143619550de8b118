import { expect, test } from 'vitest'
import { AdvancingClock } from '../../src/base/lib/advancing-clock.ts'
import { systemClock } from '../../src/base/lib/clock.ts'
import { startEmbedded } from '../support/daemon.ts'
import { open, showing } from './browser.ts'

const clock = new AdvancingClock(systemClock)
const shown = showing(async () => {
  const running = await startEmbedded(
    { 'localnet.superValidators': 13, 'scanClient.probeInterval': '7d' },
    { clock },
  )
  const { localnet } = running.daemon
  for (let minute = 0; minute < 3; minute++) {
    for (let call = 0; call < 5; call++) await running.get('/v0/scan-proxy/ans-entries/by-name/dso.cns')
    await running.get(`/v0/scan-proxy/ans-entries/by-name/nobody-${minute}.cns`)
    await running.operations('/?by=name&q=dso.cns')
    if (minute === 1) await localnet?.setFault('sv-3', { kind: 'lie' })
    clock.advance(60_000)
  }
  return running
})

test('the page shows an hour at a glance: sums, charts, and a heat map of agreement', async () => {
  await using opened = await open(shown.browser, `${shown.running.daemon.operations}/network`)
  const { page, troubles } = opened
  const hour = page.getByRole('region', { name: 'The last hour' })
  await hour.locator('.chart').nth(2).waitFor()
  expect(await hour.locator('.chart h4').allTextContents()).toEqual([
    'Answers a second',
    'From the cache',
    'Time to the answer',
  ])
  expect(await hour.locator('#live-traffic').textContent()).toMatch(/Answers\s*18/)
  await hour.locator('.chart-value', { hasText: 'hit rate' }).waitFor()
  await hour.locator('.chart-value', { hasText: 'p95' }).waitFor()
  expect(await hour.locator('#live-heat li').count()).toBe(13)
  expect(await hour.locator('#live-heat li', { hasText: 'sv-2' }).locator('.level-full').count()).toBe(1)
  expect(troubles).toEqual([])
})

test('the figures and the charts agree on the share of calls that the cache answered, while the page looks up names', async () => {
  const hand = new AdvancingClock(systemClock)
  await using twice = await startEmbedded({}, { clock: hand })
  for (let call = 0; call < 2; call++) await twice.get('/v0/scan-proxy/ans-entries/by-name/dso.cns')
  await twice.operations('/?by=name&q=nobody.unverified.cns')
  hand.advance(5_000)
  await using opened = await open(shown.browser, `${twice.daemon.operations}/network`)
  const hour = opened.page.getByRole('region', { name: 'The last hour' })
  await hour.locator('.chart').nth(2).waitFor()
  expect(await hour.locator('#live-traffic').textContent()).toMatch(/From the cache\s*50 %/)
  const values = await hour.locator('.chart-value').allTextContents()
  expect(values[0]).toMatch(/answered · (now|1 min ago)$/)
  expect(values[1]).toMatch(/^50 % hit rate · (now|1 min ago)$/)
  expect(values[2]).toMatch(/p95 · (now|1 min ago)$/)
})

test('without any calls the chart says so, and names no minute', async () => {
  await using idle = await startEmbedded()
  await using opened = await open(shown.browser, `${idle.daemon.operations}/network`)
  const value = opened.page.locator('.chart-value').first()
  await value.getByText('nobody asked in the last hour').waitFor()
  expect(await value.textContent()).not.toContain('answered')
})

test('the story of a lie is copied as a report for its operator', async () => {
  await using opened = await open(shown.browser, `${shown.running.daemon.operations}/network`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page, troubles } = opened
  await page.locator('.story').getByText('sv-3 contradicted the others').waitFor()
  await page.getByRole('button', { name: 'copy report for its operator' }).click()
  await page.locator('.story').getByText('copied').waitFor()
  const report = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(report).toMatch(/^# sv-3 contradicted other super validators/)
  expect(report).toContain('mallory::')
  expect(report).toContain('said, as was agreed')
  expect(troubles).toEqual([])
})

test('the first load of the page with all its files takes less than 60 kB', async () => {
  await using opened = await open(shown.browser, 'about:blank')
  const { page } = opened
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  session.on('Network.responseReceivedExtraInfo', ({ headersText = '' }) => {
    bytes += headersText.length
  })
  await page.goto(`${shown.running.daemon.operations}/network`)
  await page.locator('.chart').nth(2).waitFor()
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(60_000)
})

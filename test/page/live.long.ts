import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AdvancingClock } from '../../src/base/lib/advancing-clock.ts'
import { systemClock } from '../../src/base/lib/clock.ts'
import { startEmbedded } from '../support/daemon.ts'
import { DaemonProcess } from '../support/process.ts'
import { open, openBrowser } from './browser.ts'
import { isLive, lookUp, violations } from './steps.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
}, 60_000)

afterAll(() => browser.close())

describe('While super validators lie and fail for thirty minutes,', () => {
  test('an opened disagreement stays as it is, and its heading counts on', async () => {
    const clock = new AdvancingClock(systemClock)
    await using running = await startEmbedded({ 'localnet.superValidators': 7 }, { clock })
    const { daemon } = running
    await daemon.localnet?.setFault('sv-3', { kind: 'lie' })
    await daemon.localnet?.setFault('sv-5', { kind: 'error' })
    const look = (name: string) => running.operations(`/?by=name&q=${name}.unverified.cns`)
    await look('first')
    await using opened = await open(browser, `${daemon.operations}/network`)
    const { page, troubles } = opened
    await isLive(page)
    const chapter = page.locator('#live-stories .case', { hasText: 'lookupAnsEntryByName' }).first()
    await chapter.locator('summary').click()
    await chapter.locator('.difference').waitFor()
    const shown = await chapter.locator('.case-body').textContent()
    expect(shown).toContain('first.unverified.cns')
    expect(shown).toContain('sv-3 asked again within a minute')
    for (let minute = 1; minute <= 30; minute++) {
      clock.advance(60_000)
      await look(`name-${minute}`)
      if (minute % 10 === 0) await look(`again-${minute}`)
    }
    await chapter.getByText('34 times').waitFor()
    await chapter.locator('.filed-dissent').getByText('said so again: filed as dissent').waitFor()
    expect(await chapter.locator('.filed-pending').count()).toBe(0)
    expect(await chapter.getAttribute('open')).not.toBeNull()
    expect(await chapter.locator('.case-body').textContent()).toContain('first.unverified.cns')
    expect(await page.locator('#live-heat li', { hasText: 'sv-3' }).locator('path').count()).toBeGreaterThan(
      0,
    )
    expect(troubles).toEqual([])
  })
})

describe('A page whose daemon is gone', () => {
  const isGrey = async (page: Page) =>
    (await page.evaluate("getComputedStyle(document.querySelector('main')).filter")) === 'grayscale(1)'

  test('turns grey when the daemon says nothing any more, and is live again when it does', async () => {
    await using daemon = await DaemonProcess.start()
    const { operations } = await daemon.listening()
    await using opened = await open(browser, operations)
    const { page } = opened
    await isLive(page)
    await page.clock.install()
    process.kill(daemon.pid, 'SIGSTOP')
    await page.clock.fastForward(20_000)
    await page.locator('#live-state[data-state=stale]').waitFor()
    expect(await isGrey(page)).toBe(true)
    process.kill(daemon.pid, 'SIGCONT')
    await isLive(page)
    expect(await isGrey(page)).toBe(false)
  })

  test.each(['reduce', 'no-preference'] as const)(
    'keeps what was typed and says since when nobody answers, if somebody looks a name up (%s)',
    async (reducedMotion) => {
      await using daemon = await DaemonProcess.start()
      const { operations } = await daemon.listening()
      await using opened = await open(browser, operations, { reducedMotion })
      const { page } = opened
      await isLive(page)
      await lookUp(page, 'dso.cns')
      const answer = await page.locator('#answer .vote-says').textContent()
      process.kill(daemon.pid, 'SIGKILL')
      await page.getByText(/The daemon does not answer since \d\d:\d\d:\d\d UTC. Trying again./).waitFor()
      const url = page.url()
      await page.getByLabel('Name, party or beginning of names').fill('alice.unverified.cns')
      await page.keyboard.press('Enter')
      const problem = page.locator('#lookup-problem')
      await problem
        .getByText(
          /does not answer since \d\d:\d\d:\d\d UTC. Nothing was looked up; what you typed is still here/,
        )
        .waitFor()
      expect(await page.locator('#q').inputValue()).toBe('alice.unverified.cns')
      const isOnTop = `(() => {
        const { left, top, width, height } = document.getElementById('lookup-problem').getBoundingClientRect()
        return document.elementFromPoint(left + width / 2, top + height / 2)?.id
      })()`
      expect(await page.evaluate(isOnTop)).toBe('lookup-problem')
      expect(await page.locator('#answer .vote-says').textContent()).toBe(answer)
      expect(page.url()).toBe(url)
      expect(await violations(page)).toEqual([])
    },
  )

  test('looks the name up again, and keeps what was typed, when a daemon of another network takes its place', async () => {
    await using daemon = await DaemonProcess.start()
    const { operations } = await daemon.listening()
    await using opened = await open(browser, operations)
    const { page } = opened
    await isLive(page)
    await lookUp(page, 'dso.cns')
    const party = () => page.locator('#answer dd.id a').first().textContent()
    const before = await party()
    process.kill(daemon.pid, 'SIGKILL')
    await daemon.ended
    await page.locator('#live-state[data-state=stale]').waitFor()
    await page.locator('#q').fill('alice.unverified.cns')
    const port = new URL(operations).port
    await using next = await DaemonProcess.start({ OPERATIONS_PORT: port, LEDGER_DRIVER: 'embedded' })
    await next.listening()
    await expect.poll(party, { timeout: 20_000 }).not.toBe(before)
    expect(await page.locator('#q').inputValue()).toBe('alice.unverified.cns')
  })

  test('gives a look-up up when the daemon stopped in the middle of it, and takes it again when it goes on', async () => {
    await using daemon = await DaemonProcess.start()
    const { operations } = await daemon.listening()
    await using opened = await open(browser, operations)
    const { page } = opened
    await isLive(page)
    await page.clock.install()
    process.kill(daemon.pid, 'SIGSTOP')
    await page.getByLabel('Name, party or beginning of names').fill('dso.cns')
    await page.keyboard.press('Enter')
    await page.clock.fastForward(20_000)
    await page.locator('#lookup-problem').getByText('Nothing was looked up').waitFor()
    process.kill(daemon.pid, 'SIGCONT')
    await isLive(page)
    await lookUp(page, 'dso.cns')
  })
})

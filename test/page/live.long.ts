import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AdvancingClock } from '../../src/lib/advancing-clock.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { startEmbedded, startLiveStage } from '../support/daemon.ts'
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
    await using opened = await open(browser, daemon.operations)
    const { page, troubles } = opened
    await isLive(page)
    const chapter = page.locator('#live-stories .case', { hasText: 'lookupAnsEntryByName' }).first()
    await chapter.locator('summary').click()
    await chapter.locator('.difference').waitFor()
    await page.evaluate("document.querySelector('#live-stories .difference').dataset.same = 'yes'")
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
    expect(await chapter.locator('.difference').first().getAttribute('data-same')).toBe('yes')
    expect(await chapter.locator('.case-body').textContent()).toContain('first.unverified.cns')
    expect(await page.locator('#live-heat li', { hasText: 'sv-3' }).locator('path').count()).toBeGreaterThan(
      0,
    )
    expect(troubles).toEqual([])
  })

  test('an opened disagreement stays although the daemon no longer has it', async () => {
    await using stage = await startLiveStage({ config: { 'evidence.maxBytes': '64KiB' } })
    await stage.fault(['sv-2'], 'lie')
    const look = (name: string) => stage.operations(`/?by=name&q=${name}.unverified.cns`)
    await look('alice')
    await using opened = await open(browser, stage.daemon.operations)
    const { page } = opened
    await isLive(page)
    const chapter = page.locator('#live-stories .case', { hasText: 'lookupAnsEntryByName' }).first()
    await chapter.locator('summary').click()
    await chapter.locator('.difference').waitFor()
    await stage.fault(['sv-2'], undefined)
    await stage.fault(['sv-3'], 'lie')
    for (let name = 0; name < 40; name++) await look(`name-${name}`)
    await page.locator('#live-stories').getByText('sv-3 contradicted the others').waitFor()
    expect(await chapter.locator('.difference').first().textContent()).toContain('alice.unverified.cns')
  })
})

describe('A page whose daemon is gone', () => {
  const isGrey = async (page: Page) =>
    (await page.evaluate("getComputedStyle(document.querySelector('main')).filter")) === 'grayscale(1)'

  test('turns grey when the daemon dies, and says how old it is', async () => {
    await using daemon = await DaemonProcess.start()
    const { operations } = await daemon.listening()
    await using opened = await open(browser, operations)
    const { page } = opened
    await isLive(page)
    expect(await isGrey(page)).toBe(false)
    await page.clock.install()
    process.kill(daemon.pid, 'SIGKILL')
    await page.locator('#live-state[data-state=stale]').waitFor()
    expect(await isGrey(page)).toBe(true)
    expect(await violations(page)).toEqual([])
    await page.clock.fastForward(41_000)
    const shown = () => page.locator('#live-state').textContent()
    await expect.poll(shown, { timeout: 15_000 }).toMatch(/^as of [45][0-9] s ago$/)
  })

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
    'keeps what was typed and says since when nobody answers, if somebody looks a name up or sends a form (%s)',
    async (reducedMotion) => {
      await using daemon = await DaemonProcess.start()
      const { operations } = await daemon.listening()
      await using opened = await open(browser, operations, { reducedMotion })
      const { page } = opened
      await isLive(page)
      await lookUp(page, 'dso.cns')
      const answer = await page.locator('#answer .vote-says').textContent()
      await page.getByLabel('Super validator', { exact: true }).selectOption('sv-3')
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
      await page.getByRole('button', { name: 'Inject' }).click()
      await page.locator('#live-lost').getByText('Nothing was sent.').waitFor()
      expect(await page.getByLabel('Super validator', { exact: true }).inputValue()).toBe('sv-3')
      expect(page.url()).toBe(url)
      expect(await violations(page)).toEqual([])
    },
  )

  test('stays grey and says why after a daemon of another network takes its place', async () => {
    await using daemon = await DaemonProcess.start()
    const { operations } = await daemon.listening()
    await using opened = await open(browser, operations)
    const { page } = opened
    await isLive(page)
    await lookUp(page, 'alice.unverified.cns')
    const dso = await page.locator('#live-network .dso').getAttribute('title')
    process.kill(daemon.pid, 'SIGKILL')
    await daemon.ended
    await page.locator('#live-state[data-state=stale]').waitFor()
    const port = new URL(operations).port
    await using next = await DaemonProcess.start({ OPERATIONS_PORT: port, LEDGER_DRIVER: 'embedded' })
    await next.listening()
    await page.locator('#answer').getByText('This answer is of another network').waitFor()
    expect(await page.locator('#live-network .dso').getAttribute('title')).not.toBe(dso)
    expect(await page.evaluate("getComputedStyle(document.getElementById('answer')).filter")).toBe(
      'grayscale(1)',
    )
    expect(await page.getByRole('link', { name: 'Download receipt' }).isVisible()).toBe(false)
    const times = await page.locator('#answer .history time').allTextContents()
    expect(times).toEqual(times.map(() => expect.stringMatching(/^\d{4}-\d\d-\d\d$/)))
    expect(await violations(page)).toEqual([])
    await lookUp(page, 'dso.cns')
    expect(await page.locator('#answer').getByText('of another network').count()).toBe(0)
    expect(await page.locator('#answer[data-elsewhere]').count()).toBe(0)
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
    await page.keyboard.press('Enter')
    await page.clock.fastForward(6_000)
    await page.locator('#lookup-problem').getByText('Nothing was looked up').waitFor()
    process.kill(daemon.pid, 'SIGCONT')
    await isLive(page)
    expect(await page.locator('#lookup-problem').textContent()).toBe('')
    await lookUp(page, 'dso.cns')
  })
})

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Faults } from '../../src/localnet/faults.ts'
import { startLiveStage } from '../support/daemon.ts'
import { open, showing } from './browser.ts'
import { isLive, lookUp, violations } from './steps.ts'

const name = 'alice.unverified.cns'

const shown = showing(() =>
  startLiveStage({
    superValidators: 7,
    config: { 'scanClient.operators': { One: ['sv-1', 'sv-2'] } },
  }),
)

const moving = (first = '') =>
  open(shown.browser, shown.running.daemon.operations, { reducedMotion: 'no-preference' }, first)

async function begin(page: Page): Promise<void> {
  await isLive(page)
  await page.getByLabel('Name, party or beginning of names').fill(name)
  await page.keyboard.press('Enter')
}

/** This script waits until the drawing of a vote shows six replies, and then records the drawing. */
const remembering = `new MutationObserver(() => {
  const names = (which) => [...document.querySelectorAll('.ring[data-playing] .voter' + which + ' title')].map((title) => title.textContent)
  if (names(':is(.stance-heard, .stance-agreed, .stance-dissented)').length === 6) globalThis.drawn ??= {
    waitedFor: names('.stance-asked'),
    closed: document.querySelectorAll('.segment.closed').length,
    agreeing: names('.stance-agreed').length,
    differing: names('.stance-dissented'),
    centre: document.querySelector('.centre').textContent,
  }
}).observe(document, { subtree: true, attributes: true })`

describe('A look-up is drawn as it happens:', () => {
  test('requests go out, replies come in, the ring closes, and the super validator that hangs is waited for', async () => {
    await shown.running.fault(['sv-3'], 'lie')
    await shown.running.fault(['sv-6'], 'hang')
    await using opened = await moving(remembering)
    const { page, troubles } = opened
    const asked = shown.running.localnet.nextRequest('sv-6')
    await begin(page)
    await asked
    await page.locator('#answer.outcome-agreed').waitFor()
    expect(await page.evaluate('drawn')).toEqual({
      waitedFor: ['sv-6'],
      closed: 3,
      agreeing: 5,
      differing: ['sv-3'],
      centre: '5/7',
    })
    expect(await page.locator('.centre').textContent()).toBe('5/7')
    await page.locator('#answer.outcome-agreed').waitFor()
    expect(await page.locator('.voter.stance-silent title').allTextContents()).toEqual(['sv-6'])
    expect(await page.locator('.voter.stance-dissented title').allTextContents()).toEqual(['sv-3'])
    expect(await page.locator('.waterfall').getByText('decided here').count()).toBe(1)
    expect(await page.locator('.lane.stance-silent .bar.open').count()).toBe(1)
    await page.locator('.lane.stance-silent').getByText('no reply before the vote ended').waitFor()
    expect(await page.title()).toBe(`${name} · bft-scan-proxy`)
    await shown.running.fault(shown.running.names, undefined)
    await page.reload()
    await page.getByText('7 of 7 super validators gave this answer').waitFor()
    expect(troubles).toEqual([])
  })

  test('nobody is drawn as different while more than f may contradict the others', async () => {
    await shown.running.fault(['sv-1', 'sv-2', 'sv-3'], 'lie')
    await using opened = await moving(
      `new MutationObserver(() => {
        if (document.querySelector('.ring[data-playing] .stance-dissented') !== null) globalThis.blamed = true
        if (document.querySelector('.ring[data-playing] .stance-heard') !== null) globalThis.open = true
      }).observe(document, { subtree: true, attributes: true })`,
    )
    const { page } = opened
    await begin(page)
    await page.locator('#answer:not(.outcome-open)').getByText('Do not rely on this answer.').waitFor()
    expect(await page.evaluate('[globalThis.open, globalThis.blamed]')).toEqual([true, undefined])
    await shown.running.fault(shown.running.names, undefined)
  })

  test('the button says that a look-up was sent until the first reply of the daemon arrives', async () => {
    await using opened = await moving()
    const { page } = opened
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/ui/vote?*', async (route) => {
      await promise
      await route.continue()
    })
    await begin(page)
    await page.getByRole('button', { name: 'Asking …' }).waitFor()
    resolve()
    await page.locator('#answer.outcome-agreed').waitFor()
    expect(await page.getByRole('button', { name: 'Look up', exact: true }).count()).toBe(1)
  })

  test('a hedge is drawn when it is sent', async () => {
    await shown.running.fault(shown.running.names, { kind: 'delay', ms: 1_500 } as Faults)
    await using opened = await moving()
    const { page } = opened
    await page.getByText('Options').click()
    await page.getByText('just enough', { exact: true }).click()
    await begin(page)
    await page.locator('.ring[data-playing] .voter.reason-hedge').first().waitFor()
    expect(await page.locator('#answer.outcome-open').count()).toBe(1)
    await page.locator('#answer.outcome-agreed').waitFor()
    expect(await page.locator('.ring .reason', { hasText: 'hedge' }).count()).toBeGreaterThan(0)
    await shown.running.fault(shown.running.names, undefined)
  })

  test('the page says at the same place why it cannot ask', async () => {
    await using opened = await moving()
    const { page } = opened
    await isLive(page)
    await page.getByText('Options').click()
    await page.getByText('Party', { exact: true }).first().click()
    await page.getByLabel('Name, party or beginning of names').fill('nobody::12::20')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Fingerprint decoding').waitFor()
  })
})

describe('The end of a vote is shown at once', () => {
  test.each([
    ['without scripts', { javaScriptEnabled: false }],
    ['where motion is not wished for', { reducedMotion: 'reduce' }],
  ] as const)('%s', async (_, options) => {
    await shown.running.fault(['sv-3'], 'lie')
    await using opened = await open(shown.browser, shown.running.daemon.operations, options)
    const { page } = opened
    await lookUp(page, name)
    expect(await page.locator('.ring[data-playing]').count()).toBe(0)
    expect(await page.locator('.voter.stance-agreed').count()).toBe(6)
    expect(await page.locator('.voter.stance-dissented title').allTextContents()).toEqual(['sv-3'])
    expect(await page.locator('.segment.closed').count()).toBe(3)
    expect(await page.locator('.operator-arc').count()).toBe(1)
    expect(await page.locator('.lane.stand .bar').count()).toBe(7)
    await shown.running.fault(shown.running.names, undefined)
  })

  test('in neutral colours with a banner, where more than f contradict', async () => {
    await shown.running.fault(['sv-2', 'sv-3', 'sv-4'], 'lie')
    await using opened = await open(
      shown.browser,
      `${shown.running.daemon.operations}/?by=name&q=nobody.unverified.cns`,
    )
    const { page } = opened
    await page.getByText('Do not rely on this answer.').waitFor()
    expect(await page.getByText('Its history').count()).toBe(0)
    const judged = page.locator(':is(.stance-agreed, .stance-dissented):not(.headline *)')
    expect(await judged.count()).toBe(0)
    const sides = [page.locator('.voter.side-0').count(), page.locator('.voter.side-1').count()]
    expect((await Promise.all(sides)).sort()).toEqual([3, 4])
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Ask again for 2f + 1 votes' }).click()
    await page.getByText('No answer has the threshold.').waitFor()
    await shown.running.fault(shown.running.names, undefined)
  })
})

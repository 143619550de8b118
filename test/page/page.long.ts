import { describe, expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { type Opened, open, showing } from './browser.ts'
import { heal, inject, isLive, lookUp, violations, visit } from './steps.ts'

const shown = showing(() => startEmbedded({ 'ui.public': true, 'localnet.superValidators': 7 }))

function forOperators(options = {}): Promise<Opened> {
  return open(shown.browser, shown.running.daemon.operations, options)
}

describe('In a browser', () => {
  test('an open page shows what others do, without being loaded again, and leaves the focus where it is', async () => {
    await using watching = await forOperators()
    await using network = await forOperators()
    await using acting = await forOperators()
    await inject(watching.page, 'sv-5', 'deny')
    await isLive(watching.page)
    await visit(network.page, 'network')
    await isLive(network.page)
    const button = watching.page.getByRole('button', { name: 'Heal sv-5' })
    await button.focus()
    const voted = network.page.locator('#live-roster tr', { hasText: 'sv-2' }).locator('.minor').nth(1)
    const before = await voted.textContent()
    for (const { page } of [watching, network]) await page.evaluate('document.body.dataset.same = "yes"')
    await inject(acting.page, 'sv-6', 'lie')
    await lookUp(acting.page, 'sv-2.sv.cns')
    await network.page.locator('#live-stories h3', { hasText: 'sv-6' }).waitFor()
    await watching.page.locator('#live-faults li', { hasText: 'sv-6' }).getByText('lie').waitFor()
    await network.page.waitForFunction(
      `document.querySelectorAll('#live-roster tr')[1].querySelectorAll('.minor')[1].textContent !== ${JSON.stringify(before)}`,
    )
    for (const { page } of [watching, network])
      expect(await page.evaluate('document.body.dataset.same')).toBe('yes')
    expect(await watching.page.evaluate('document.activeElement.id')).toBe('heal-sv-5')
    await heal(acting.page, 'sv-5')
    await heal(acting.page, 'sv-6')
    expect([...watching.troubles, ...network.troubles, ...acting.troubles]).toEqual([])
  })

  test('a look-up needs no mouse', async () => {
    await using opened = await forOperators()
    const { page } = opened
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('q')
    while ((await page.evaluate('document.activeElement.tagName')) !== 'SUMMARY')
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    do await page.keyboard.press('Tab')
    while ((await page.evaluate('document.activeElement.name')) !== 'by')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('/')
    await page.keyboard.type('sv-')
    await page.keyboard.press('Enter')
    await page.getByText('7 names begin with sv-.').waitFor()
    await page.locator('#answer').focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('sv-1.sv.cns')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'sv-1.sv.cns' }).waitFor()
  })

  test('nothing runs or loads that is not of this daemon', async () => {
    await using opened = await forOperators()
    const { page, troubles } = opened
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="document.title = 1"><p style="color: red"><img src="http://127.0.0.2:1/">')`,
    )
    const script = `const script = document.createElement('script'); script.textContent = 'document.title = 2'; document.body.append(script)`
    await page.evaluate(script)
    await expect
      .poll(() => troubles.filter((trouble) => trouble.startsWith('forbidden: ')).length)
      .toBeGreaterThanOrEqual(3)
    expect(await page.title()).toBe('bft-scan-proxy')
  })
})

/** This script returns the height of the smallest visible letter, in pixels. */
const smallestText = `Math.min(...[...document.querySelectorAll('body *')].flatMap((element) => {
  const isDrawn = element.checkVisibility() && element.closest('.unseen') === null
  if (!isDrawn || ![...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')) return []
  if (element.tagName === 'title' || element.tagName === 'OPTION') return []
  return [parseFloat(getComputedStyle(element).fontSize) * (element.getScreenCTM?.().a ?? 1)]
}))`

/** This script returns the smallest distance between two of the choices (`.ways`), in pixels. */
const leastGap = `(() => {
  const boxes = [...document.querySelectorAll('.ways label')].map((chip) => chip.getBoundingClientRect())
  return Math.min(...boxes.flatMap((a, index) => boxes.slice(index + 1).map((b) =>
    Math.max(b.left - a.right, a.left - b.right, b.top - a.bottom, a.top - b.bottom))))
})()`

describe('Everybody can use it:', () => {
  test.each([
    ['light', 1100],
    ['dark', 1100],
    ['light', 390],
  ] as const)(
    'in %s at %i pixels axe finds nothing wrong, and nothing is cut off',
    async (colorScheme, width) => {
      await using opened = await forOperators({ colorScheme, viewport: { width, height: 800 } })
      const { page } = opened
      await inject(page, 'sv-4', 'lie')
      await inject(page, 'sv-7', 'refuse')
      await lookUp(page, 'sv-3.sv.cns')
      await page.locator('#answer .difference').waitFor()
      await page.locator('.stand.stance-silent').waitFor()
      await page.getByText('Options').click()
      expect(await page.evaluate(leastGap)).toBeGreaterThanOrEqual(4)
      const isGood = async () => {
        expect(await violations(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        expect(await page.evaluate(smallestText)).toBeGreaterThanOrEqual(9)
      }
      await isGood()
      for (const path of ['', 'no/such', 'receipts', 'localnet', 'sv/sv-4', 'network']) {
        await visit(page, path)
        if (path !== 'no/such') await isLive(page)
        if (path !== 'network') await isGood()
      }
      await page.locator('#live-stories summary').first().click()
      await page.locator('#live-stories .difference').first().waitFor()
      await isGood()
      await heal(page, 'sv-4')
      await heal(page, 'sv-7')
    },
  )

  test('at 390 pixels two answers stand one after the other, each whole and below its heading', async () => {
    await using opened = await forOperators({ viewport: { width: 390, height: 800 } })
    const { page } = opened
    await inject(page, 'sv-4', 'lie')
    await lookUp(page, 'sv-5.sv.cns')
    await page.locator('#answer .difference').waitFor()
    const lines = await page.evaluate(`[...document.querySelectorAll('#answer .difference :is(th, td)')]
      .filter((cell) => cell.checkVisibility())
      .map((cell) => ({ y: cell.getBoundingClientRect().y, isFirst: cell.matches(':first-child'), isHead: cell.matches('th'), text: cell.textContent }))
      .sort((a, b) => a.y - b.y)`)
    const seen = lines as readonly { isFirst: boolean; isHead: boolean; text: string }[]
    const other = seen.findIndex(({ isFirst }) => !isFirst)
    expect(other).toBeGreaterThan(3)
    expect(seen.slice(other).every(({ isFirst }) => !isFirst)).toBe(true)
    expect(seen.flatMap(({ isHead }, index) => (isHead ? [index] : []))).toEqual([0, other])
    const [first, second] = [seen.slice(0, other), seen.slice(other)].map((part) =>
      part.map(({ text }) => text).join('\n'),
    )
    expect(first).toMatch(/What was agreed.*sv-5.*name/s)
    expect(second).toMatch(/What was said instead.*mallory::/s)
    expect(first).not.toContain('mallory::')
    await heal(page, 'sv-4')
  })
})

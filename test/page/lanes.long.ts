import { expect, test } from 'vitest'
import { startLiveStage } from '../support/daemon.ts'
import { open, showing } from './browser.ts'

const shown = showing(() => startLiveStage({ superValidators: 7 }))

test.each([320, 390])(
  'however long the reason of a silence is, the name beside it stays on one line in a window of %i pixels',
  async (width) => {
    await shown.running.fault(['sv-6'], 'hang')
    await using opened = await open(shown.browser, `${shown.running.daemon.operations}/?by=name&q=dso.cns`, {
      viewport: { width, height: 800 },
    })
    const { page } = opened
    const lane = page.locator('.lane', { hasText: 'sv-6' })
    await lane.getByText('silent · no reply before the vote ended').waitFor()
    const heightOf = async (name: string) =>
      (await page.locator('.lane .stand-name', { hasText: name }).boundingBox())?.height
    expect(await heightOf('sv-6')).toBe(await heightOf('sv-1'))
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await shown.running.fault(['sv-6'], undefined)
  },
)

test('the ring of an answer in doubt has the colour of no side', async () => {
  await shown.running.fault(['sv-1', 'sv-2', 'sv-3'], 'lie')
  await using opened = await open(shown.browser, `${shown.running.daemon.operations}/?by=name&q=dso.cns`)
  const { page } = opened
  await page.locator('#answer').getByText('Agreed, but in doubt').waitFor()
  const colours = (selector: string) =>
    page.evaluate(`[...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).stroke)`)
  const sides = (await colours('.ring .voter path')) as string[]
  const ring = (await colours('.ring .segment.closed')) as string[]
  expect(ring.length).toBeGreaterThan(0)
  expect(sides.length).toBeGreaterThan(0)
  expect(sides).not.toContain(ring[0])
  await shown.running.fault(['sv-1', 'sv-2', 'sv-3'], undefined)
})

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { open, showing } from './browser.ts'
import { isLive, lookUp } from './steps.ts'

const shown = showing(() => startEmbedded())

function afterwards(page: Page, selector: string): Promise<unknown> {
  return page.evaluate(`getComputedStyle(document.querySelector('${selector}'), '::after').content`)
}

test.each([390, 1280])(
  'a printed answer tells its time and its network, on paper of %i pixels',
  async (width) => {
    await using opened = await open(shown.browser, shown.running.daemon.operations, {
      viewport: { width, height: 900 },
    })
    const { page } = opened
    await isLive(page)
    await lookUp(page, 'dso.cns')
    const time = '.vote-says time[title]'
    await page.locator(time).waitFor()
    expect(await afterwards(page, time)).toBe('none')
    await page.emulateMedia({ media: 'print' })
    expect(await afterwards(page, time)).toMatch(/^" \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)"$/)
    expect(await page.locator('.network').isVisible()).toBe(true)
    expect(await page.locator('.network .badge').textContent()).toBe('LocalNet')
    for (const part of ['#q', '#live-state', '#live-roster', '.receipt-link', 'footer'])
      expect(await page.locator(part).isVisible(), part).toBe(false)
  },
)

import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { open, showing } from './browser.ts'

const shown = showing(() => startEmbedded())

test.each([390, 1280])(
  'no explanation sticks to the choice above it, in a window of %d px',
  async (width) => {
    await using opened = await open(shown.browser, shown.running.daemon.operations, {
      viewport: { width, height: 900 },
    })
    const { page } = opened
    const edges = async (selector: string) => {
      const box = await page.locator(selector).last().boundingBox()
      if (box === null) throw new Error(`${selector} is not shown`)
      return { top: box.y, bottom: box.y + box.height }
    }
    for (const [above, below] of [
      ['.choices', '.choices-explained'],
      ['select[name="kind"]', '#fault-says'],
    ] as const) {
      const gap = (await edges(below)).top - (await edges(above)).bottom
      expect(gap, below).toBeGreaterThanOrEqual(5)
    }
    const keys = await page.locator('.heat-legend .key').all()
    const widths = await Promise.all(
      keys.map(async (key) => Math.round((await key.boundingBox())?.width ?? 0)),
    )
    expect(new Set(widths).size).toBe(1)
    const aligned = (await page.evaluate(
      "[...document.querySelectorAll('.step :is(button, a.button)')].map((one) => getComputedStyle(one).textAlign)",
    )) as string[]
    expect(new Set(aligned)).toEqual(new Set(['center']))
  },
)

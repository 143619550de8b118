import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { open, showing } from './browser.ts'

const shown = showing(() => startEmbedded())

const unit = fc.constantFrom(
  'W',
  'i',
  '-',
  '名',
  'ש',
  'ﷺ',
  '𒀱',
  '👩',
  'e\u0301',
  '\u0489',
  '\u200d',
  '\u202e',
)
const long = fc
  .tuple(fc.array(unit, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 1_600 }))
  .map(([parts, length]) => parts.join('').repeat(length).slice(0, length).toWellFormed())
const query = fc.oneof(
  fc.integer({ min: 1, max: 1_600 }).map((length) => ({ by: 'name', q: 'a'.repeat(length) })),
  long.map((text) => ({ by: 'name', q: `x${text}.sv.cns` })),
  long.map((text) => ({ by: 'prefix', q: text })),
  long.map((text) => ({ by: 'name', q: text })),
  fc.integer({ min: 1, max: 185 }).map((length) => ({ by: 'party', q: `${'a'.repeat(length)}::1220` })),
  long.map((text) => ({ by: 'party', q: `${text}::1220` })),
)

interface Measured {
  readonly scrollWidth: number
  /** The pixels from the top of the card to the top of its ring. Undefined if there is no ring. */
  readonly ringBelow: number | undefined
}

const measuring = `(() => {
  const top = (selector) => document.querySelector(selector)?.getBoundingClientRect().top
  return { scrollWidth: document.documentElement.scrollWidth, ringBelow: top('#answer .ring') - top('#answer') || undefined }
})()`

test.each([320, 390, 1280])(
  'However long what is looked up, the page is %i pixels wide, with its ring in sight',
  async (width) => {
    await using opened = await open(shown.browser, shown.running.daemon.operations, {
      viewport: { width, height: 800 },
      javaScriptEnabled: false,
    })
    const { page } = opened
    const isWide = async (given: { readonly by: string; readonly q: string }) => {
      await page.goto(`${shown.running.daemon.operations}/?${new URLSearchParams(given)}`)
      const { scrollWidth, ringBelow } = (await page.evaluate(measuring)) as Measured
      expect(scrollWidth, given.q).toBeLessThanOrEqual(width)
      if (width > 960) expect(ringBelow ?? 0).toBeLessThan(100)
    }
    await isWide({ by: 'name', q: 'a'.repeat(1_500) })
    for (const by of ['name', 'prefix', 'party']) await isWide({ by, q: `x${'\u0489'.repeat(1_400)}::1220` })
    await fc.assert(fc.asyncProperty(query, isWide), { numRuns: 15 })
  },
  120_000,
)

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DaemonProcess } from '../support/process.ts'
import { type Opened, open, openBrowser } from './browser.ts'
import { isLive } from './steps.ts'

const widths = [300, 390, 660, 768, 880, 1280]
const paths = [
  '',
  '?by=name&q=dso.cns',
  '?by=name&q=nobody.unverified.cns',
  '?by=name&q=nobody.unverified.cns&votes=2f%2B1',
  '?by=prefix&q=',
  '?by=prefix&q=d&from=mirror',
  'network',
  'receipts',
  'localnet',
  'localnet?tour=1',
  'sv/sv-2',
  'sv/nobody',
]

/**
 * This script returns what a visitor cannot see whole: a page wider than its window, an element that sticks out of the
 * window or of a box that clips it, a link of the header on two lines, and a sentence that is laid out in pieces.
 * A text that ends in an ellipsis is cut on purpose.
 */
const faults = `(() => {
  const found = []
  const tell = (what, element) => found.push(what + ': ' + element.outerHTML.slice(0, 120))
  if (document.documentElement.scrollWidth > innerWidth) found.push('wide: ' + document.documentElement.scrollWidth)
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility() || element.closest('.unseen, .skip, svg *, option, datalist') !== null) continue
    if (element.parentElement.closest('.entries .id, .heat-name, .chart-value, .member bdi') !== null) continue
    const { left, right, width } = element.getBoundingClientRect()
    if (width < 2) continue
    let clip = element.parentElement
    while (clip !== null && getComputedStyle(clip).overflowX === 'visible') clip = clip.parentElement
    const edge = clip === null ? innerWidth : Math.min(innerWidth, clip.getBoundingClientRect().right)
    if (left < -0.5 || right > edge + 0.5) tell('cut', element)
    const texts = [...element.childNodes].filter(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')
    if (element.closest('header') !== null && texts.length > 0) {
      const range = document.createRange()
      range.selectNodeContents(element)
      if (new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size > 1) tell('wrapped', element)
    }
    if (texts.length > 1 && /flex|grid/.test(getComputedStyle(element).display)) tell('in pieces', element)
  }
  return found
})()`

async function checkReceipt(page: Page, operations: string): Promise<void> {
  const answer = await (await fetch(`${operations}/?by=name&q=dso.cns`)).text()
  const receipt = await fetch(`${operations}/${/ui\/receipts\/[\w-]+/.exec(answer)?.[0]}`)
  const file = {
    name: 'a.receipt.json',
    mimeType: 'application/json',
    buffer: Buffer.from(await receipt.text()),
  }
  await page.locator('#receipt-file').setInputFiles(file)
  await page.locator('#receipt-details dl').waitFor()
}

test('Every page is as wide as its window, with nothing cut off, also ahead of time and without its daemon', async () => {
  await using daemon = await DaemonProcess.start({
    LEDGER_DRIVER: 'embedded',
    MIRROR_LEVEL: 'bindings',
    MIRROR_POLL_INTERVAL: '100ms',
  })
  const { operations } = await daemon.listening()
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    fetch(`${operations}/ui/${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  await post('clock', { days: '120' })
  await post('tour', { step: 'lie' })
  const browser = await openBrowser()
  const pages: (Opened & { readonly path: string })[] = []
  for (const path of paths) {
    // Each page has a context of its own: a browser opens only six connections to one server in one context.
    const opened = await open(browser, `${operations}/${path}`)
    pages.push({ ...opened, path })
    await isLive(opened.page)
    if (path === 'receipts') await checkReceipt(opened.page, operations)
  }
  const found: string[] = []
  const measure = async (state: string) => {
    for (const { page, path } of pages)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        const told = (await page.evaluate(faults)) as readonly string[]
        found.push(...told.map((fault) => `${state}, /${path} at ${width}: ${fault}`))
      }
  }
  await measure('live')
  daemon.signal('SIGKILL')
  for (const { page } of pages) await page.locator('#live-lost').waitFor()
  await measure('stopped')
  expect(found).toEqual([])
  await browser.close()
}, 240_000)

/**
 * Takes the pictures of the page that `docs/` shows, on a localnet with a liar, and checks that something is on them:
 *
 *     node .ci/screenshots.ts [folder]
 *
 * The folder is `docs/screenshots` where none is given. Exits with 1 and a sentence where a picture is blank or too large.
 */
import assert from 'node:assert/strict'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { parseConfig } from '../src/config/parse.ts'
import { type Daemon, startDaemon } from '../src/daemon.ts'
import { AdvancingClock } from '../src/lib/advancing-clock.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLogger } from '../src/telemetry/logger.ts'
import { open, openBrowser } from '../test/page/browser.ts'

const folder = process.argv[2] ?? fileURLToPath(new URL('../docs/screenshots', import.meta.url))
const mostBytes = 150 * 1024
/** Shades that a picture of text and drawings has more of. */
const fewestColours = 100
const minuteMs = 60_000
/** Around a part of the page, in pixels. */
const margin = 20

const written = {
  network: 'localnet',
  http: { port: 0 },
  operations: { port: 0 },
  localnet: { superValidators: 7 },
  scanClient: {
    refreshInterval: '7d',
    probeInterval: '7d',
    operators: { 'Five North': ['sv-1', 'sv-2'], 'Digital Harbour': ['sv-3', 'sv-4'] },
  },
}

async function main(): Promise<void> {
  await mkdir(folder, { recursive: true })
  const config = parseConfig(written)
  assert(config.ok)
  const clock = new AdvancingClock(systemClock)
  await using daemon = await startDaemon(config.config, { clock, logger: silentLogger })
  const browser = await openBrowser()
  try {
    await anHourOf(daemon, clock)
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await open(browser, daemon.operations, {
        colorScheme,
        viewport: { width: 900, height: 1190 },
      })
      await lookUp(opened.page)
      await take(browser, opened.page, `answer-${colorScheme}`)
      await take(browser, opened.page.locator('#super-validators'), `roster-${colorScheme}`)
      await opened.page.locator('#live-disagreements summary').first().click()
      await take(browser, opened.page.locator('#disagreements'), `disagreements-${colorScheme}`)
      await take(browser, opened.page.locator('#localnet'), `localnet-${colorScheme}`)
    }
    await using phone = await open(browser, daemon.operations, { viewport: { width: 390, height: 844 } })
    await lookUp(phone.page)
    await take(browser, phone.page, 'phone')
  } finally {
    await browser.close()
  }
}

/** Some reads a minute, while one of them is down for a while, and another begins to lie. */
async function anHourOf(daemon: Daemon, clock: AdvancingClock): Promise<void> {
  const { localnet, operations } = daemon
  assert(localnet !== undefined)
  await post(`${operations}/ui/registrations`, {
    name: 'alice',
    user: 'alice',
    url: 'https://alice.example',
    description: 'Payments to Alice',
  })
  for (let minute = 0; minute < 58; minute++) {
    if (minute === 21) await localnet.setFault('sv-6', { kind: 'error' })
    if (minute === 27) await localnet.setFault('sv-6', undefined)
    for (let reads = 0; reads <= minute % 3; reads++) await look(operations)
    clock.advance(minuteMs)
  }
  await localnet.setFault('sv-4', { kind: 'lie' })
  await look(operations)
  // Whoever contradicts the others is asked again before that counts.
  clock.advance(minuteMs)
  while (!(await isFiled(operations))) await setImmediate()
}

async function isFiled(operations: string): Promise<boolean> {
  const { cases } = (await (await fetch(`${operations}/evidence`)).json()) as {
    cases: { dissent: Record<string, string> }[]
  }
  return cases.some(({ dissent }) => dissent['sv-4'] === 'dissent')
}

async function look(operations: string): Promise<void> {
  const response = await fetch(`${operations}/?by=name&q=alice.unverified.cns`)
  assert.match(await response.text(), / super validators gave this answer/)
}

async function post(url: string, fields: Record<string, string>): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  assert.equal(response.status, 303, await response.text())
}

async function lookUp(page: Page): Promise<void> {
  await page.locator('#live-state[data-state=on]').waitFor()
  await page.getByLabel('Name, party or beginning of names').fill('alice.unverified.cns')
  await page.keyboard.press('Enter')
  await page.locator('#answer').getByText('sv-4 dissented.').waitFor()
  await page.evaluate('scrollTo({ top: 0, behavior: "instant" })')
}

async function take(browser: Browser, of: Page | Locator, name: string): Promise<void> {
  const path = join(folder, `${name}.png`)
  const picture = await ('goto' in of ? of.screenshot({ path }) : withMargin(of, path))
  const { size } = await stat(path)
  assert(size <= mostBytes, `${path} has ${size} bytes`)
  const colours = await coloursIn(browser, picture)
  assert(colours >= fewestColours, `${path} has ${colours} colours: it is blank, or nearly`)
  process.stdout.write(`${path}: ${size} bytes, ${colours} colours\n`)
}

async function withMargin(part: Locator, path: string): Promise<Buffer> {
  await part.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const box = await part.boundingBox()
  assert(box !== null)
  const { x, y, width, height } = box
  const clip = { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin }
  return part.page().screenshot({ path, clip })
}

/** As the browser itself decodes it. */
async function coloursIn(browser: Browser, picture: Buffer): Promise<number> {
  const page = await browser.newPage()
  const script = `new Promise((resolve, reject) => {
    const image = new Image()
    image.onerror = () => reject(new Error('no picture'))
    image.onload = () => {
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      resolve(new Set(new Uint32Array(data.buffer)).size)
    }
    image.src = 'data:image/png;base64,${picture.toString('base64')}'
  })`
  const colours = await page.evaluate(script)
  await page.close()
  return Number(colours)
}

await main()

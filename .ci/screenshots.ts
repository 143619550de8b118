/**
 * Takes the pictures of the page that `docs/` shows, on a localnet with a liar, and checks that none is blank or
 * too large:
 *
 *     node .ci/screenshots.ts [folder]
 *
 * The folder is `docs/screenshots` by default. Exits with 1 and a sentence if a picture is blank or too large.
 */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { parseConfig } from '../src/base/config/parse.ts'
import { AdvancingClock } from '../src/base/lib/advancing-clock.ts'
import { systemClock } from '../src/base/lib/clock.ts'
import { silentLogger } from '../src/base/telemetry/logger.ts'
import { type Daemon, startDaemon } from '../src/daemon.ts'
import { open, openBrowser } from '../test/page/browser.ts'
import { Scans } from '../test/support/scans.ts'

const folder = process.argv[2] ?? fileURLToPath(new URL('../docs/screenshots', import.meta.url))
const previewFile = fileURLToPath(new URL('../src/server/ui/assets/preview.png', import.meta.url))
const mostBytes = 120 * 1024
const quality = 0.9
const fewestColours = 100
const minuteMs = 60_000
const marginPx = 20

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

const alice = {
  name: 'alice',
  user: 'alice',
  url: 'https://alice.example',
  description: 'Payments to Alice',
}

async function main(): Promise<void> {
  await mkdir(folder, { recursive: true })
  const config = parseConfig(written)
  assert(config.ok)
  const clock = new AdvancingClock(systemClock)
  await using daemon = await startDaemon(config.config, { clock, logger: silentLogger })
  const browser = await openBrowser()
  try {
    await readForAnHour(daemon, clock)
    await using opened = await open(browser, daemon.operations, { viewport: { width: 1100, height: 1250 } })
    const { page } = opened
    await setDistances(daemon, distancesMs)
    await lookUp(page)
    await setDistances(daemon, [])
    await take(browser, page, 'answer')
    await page.goto(`${daemon.operations}/network`)
    await take(browser, page.locator('#super-validators'), 'roster')
    await take(browser, page.locator('#hour'), 'hour')
    await page.locator('#live-stories summary', { hasText: 'lookupAnsEntryByName' }).first().click()
    await page.locator('#live-stories .difference').first().waitFor()
    await take(browser, page.locator('#disagreements'), 'stories')
    await checkReceipt(page, daemon)
    await take(browser, page.locator('#receipt'), 'receipt')
    await takeTheVote(browser)
    await takePreview(browser)
    await takeBeyondF(browser, daemon)
    await takeFirstDay(browser)
  } finally {
    await browser.close()
  }
}

/** The delays of `sv-1`, `sv-2` and so on, which are similar to those of a real network. */
const distancesMs = [38, 12, 61, 84, 23, 127, 46]

async function setDistances({ localnet, operations }: Daemon, distances: readonly number[]): Promise<void> {
  await quiet(operations)
  for (const { name } of localnet?.superValidators ?? []) {
    const ms = distances[Number(name.slice('sv-'.length)) - 1]
    const lie = name === 'sv-4' ? [{ kind: 'lie' }] : []
    const delay = ms === undefined ? [] : [{ kind: 'delay', ms }]
    const faults = [...lie, ...delay]
    await localnet?.setFault(name, faults.length === 0 ? undefined : (faults as never))
  }
}

/**
 * Waits until no ask is in progress. Otherwise an ask could meet the localnet's faults before and after a change, or
 * time out.
 */
async function quiet(operations: string): Promise<void> {
  const asking = /^scan_proxy_in_flight_asks [1-9]/m
  while (asking.test(await (await fetch(`${operations}/metrics`)).text())) await setImmediate()
}

async function checkReceipt(page: Page, { operations }: Daemon): Promise<void> {
  const answer = await (await fetch(`${operations}/?by=name&q=alice.unverified.cns`)).text()
  const [link = ''] = /ui\/receipts\/[\w-]+/.exec(answer) ?? []
  const response = await fetch(`${operations}/${link}`)
  const buffer = Buffer.from(await response.arrayBuffer())
  const file = { name: 'alice.unverified.cns.receipt.json', mimeType: 'application/json', buffer }
  await page.goto(`${operations}/receipts`)
  await page.getByLabel('Drop a .receipt.json file').setInputFiles(file)
  await page.getByText('Verified: ').waitFor()
}

/** Takes a picture of what eleven of thirteen super validators agree on while two lie. */
async function takeTheVote(browser: Browser): Promise<void> {
  const config = parseConfig({ ...written, localnet: { superValidators: 13 } })
  assert(config.ok)
  await using daemon = await startDaemon(config.config, { logger: silentLogger })
  await post(`${daemon.operations}/ui/registrations`, alice)
  await quiet(daemon.operations)
  for (const name of ['sv-4', 'sv-9']) await daemon.localnet?.setFault(name, { kind: 'lie' })
  await using opened = await open(browser, `${daemon.operations}/?by=name&q=alice.unverified.cns`, {
    viewport: { width: 1100, height: 640 },
  })
  const { page } = opened
  await page.locator('#answer.outcome-agreed .ring').scrollIntoViewIfNeeded()
  await page.evaluate(`scrollTo(0, document.querySelector('#answer').offsetTop - 80)`)
  await take(browser, page, 'vote')
}

/** Takes the picture of link previews. It shows no name and no vote, because it stands under every shared link. */
async function takePreview(browser: Browser): Promise<void> {
  const config = parseConfig({ ...written, localnet: { superValidators: 13 }, ui: { public: true } })
  assert(config.ok)
  await using daemon = await startDaemon(config.config, { logger: silentLogger })
  await using opened = await open(browser, daemon.http, { viewport: { width: 1200, height: 630 } })
  const { page } = opened
  await page.locator('#live-state[data-state=on]').waitFor()
  await page.evaluate(`{
    for (const part of document.querySelectorAll('#live-headline, #live-state, #live-ring text[class^=centre]')) part.remove()
    const ring = document.querySelector('#live-ring')
    ring.innerHTML = ring.innerHTML.replaceAll('stance-agreed', 'stance-unasked').replaceAll(' closed', '').replaceAll('✓', '')
    document.querySelector('#live-network').innerHTML = '<span class="badge">Example</span>'
    document.querySelector('#q').placeholder = ''
  }`)
  const preview = await page.screenshot()
  assert(preview.length <= mostBytes, `the picture of link previews has ${preview.length} bytes`)
  await writeFile(process.argv[2] === undefined ? previewFile : join(folder, 'preview.png'), preview)
}

/** Takes a picture of a vote with more liars than f. The page then marks nobody as right or wrong. */
async function takeBeyondF(browser: Browser, daemon: Daemon): Promise<void> {
  for (const name of ['sv-2', 'sv-3', 'sv-4']) await daemon.localnet?.setFault(name, { kind: 'lie' })
  await using opened = await open(browser, `${daemon.operations}/?by=name&q=nobody.unverified.cns&tour=3`, {
    viewport: { width: 1100, height: 900 },
  })
  await opened.page.locator('#answer .difference').waitFor()
  await take(browser, opened.page, 'beyond-f')
}

async function takeFirstDay(browser: Browser): Promise<void> {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  scans.say({ refuses: { status: 403, error: 'not on the allow-list' } })
  const config = parseConfig({
    network: 'remote',
    http: { port: 0 },
    operations: { port: 0 },
    scanClient: { seedUrls: scans.urls, allowHttp: true, allowPrivate: true },
  })
  assert(config.ok)
  await using daemon = await startDaemon(config.config, { logger: silentLogger })
  await using opened = await open(browser, daemon.operations, { viewport: { width: 1100, height: 640 } })
  await opened.page.locator('.seeds').waitFor()
  await take(browser, opened.page, 'first-day')
}

async function readForAnHour(daemon: Daemon, clock: AdvancingClock): Promise<void> {
  const { localnet, operations } = daemon
  assert(localnet !== undefined)
  await post(`${operations}/ui/registrations`, alice)
  for (let minute = 0; minute < 58; minute++) {
    if (minute === 21) await localnet.setFault('sv-6', { kind: 'error' })
    if (minute === 27) await localnet.setFault('sv-6', undefined)
    for (let reads = 0; reads <= minute % 3; reads++) await look(operations)
    await readAsPrograms(daemon, minute)
    await quiet(operations)
    clock.advance(minuteMs)
  }
  await localnet.setFault('sv-4', { kind: 'lie' })
  await look(operations)
  await quiet(operations)
  // The dissent counts only after the daemon has asked the dissenter again, which takes up to a minute.
  clock.advance(minuteMs)
  while (!(await isFiled(operations))) await setImmediate()
}

async function readAsPrograms({ http }: Daemon, minute: number): Promise<void> {
  const calls = 12 + Math.round(9 * Math.sin(minute / 7)) + (minute % 5)
  for (let call = 0; call < calls; call++) {
    const name = call % 6 === 0 ? `nobody-${minute}-${call}` : 'alice'
    await (await fetch(`${http}/v0/scan-proxy/ans-entries/by-name/${name}.unverified.cns`)).text()
  }
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

/** Opens a link to an answer, because the page shows no tour after a link to an answer. */
async function lookUp(page: Page): Promise<void> {
  await page.goto(`${new URL('/', page.url())}?by=name&q=alice.unverified.cns`)
  await page.locator('#live-state[data-state=on]').waitFor()
  await page.locator('#answer').getByText('sv-4 dissented.').waitFor()
  assert.match(String(await page.locator('#live-headline').textContent()), /sv-4 contradicts the others/)
}

async function take(browser: Browser, of: Page | Locator, name: string): Promise<void> {
  const { colours, webp } = await encode(browser, await ('goto' in of ? of.screenshot() : withMargin(of)))
  const path = join(folder, `${name}.webp`)
  const size = webp.length
  assert(size <= mostBytes, `${path} has ${size} bytes`)
  assert(colours >= fewestColours, `${path} has ${colours} colours: it is blank, or nearly`)
  await writeFile(path, webp)
  process.stdout.write(`${path}: ${size} bytes, ${colours} colours\n`)
}

async function withMargin(part: Locator): Promise<Buffer> {
  await part.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const box = await part.boundingBox()
  assert(box !== null)
  const { x, y, width, height } = box
  const clip = {
    x: x - marginPx,
    y: y - marginPx,
    width: width + 2 * marginPx,
    height: height + 2 * marginPx,
  }
  return part.page().screenshot({ clip })
}

async function encode(browser: Browser, png: Buffer): Promise<{ colours: number; webp: Buffer }> {
  const page = await browser.newPage()
  const script = `new Promise((resolve, reject) => {
    const image = new Image()
    image.onerror = () => reject(new Error('no picture'))
    image.onload = async () => {
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${quality} })
      const bytes = new Uint8Array(await blob.arrayBuffer())
      resolve({ colours: new Set(new Uint32Array(data.buffer)).size, base64: bytes.toBase64() })
    }
    image.src = 'data:image/png;base64,${png.toString('base64')}'
  })`
  const { colours, base64 } = await page.evaluate<{ colours: number; base64: string }>(script)
  await page.close()
  return { colours, webp: Buffer.from(base64, 'base64') }
}

await main()

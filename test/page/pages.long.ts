import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { open, showing } from './browser.ts'
import { inject, isLive, lookUp } from './steps.ts'

const shown = showing(() => startEmbedded({ 'ui.public': true, 'localnet.superValidators': 7 }))

const visit = (path = '/', options = {}) =>
  open(shown.browser, `${shown.running.daemon.operations}${path}`, options)

test('the first screen is a field, the state of every super validator, and one button of options', async () => {
  await using opened = await visit('/', { viewport: { width: 1200, height: 800 } })
  const { page, troubles } = opened
  await isLive(page)
  const ring = page.getByRole('group', { name: 'Super validators now: 7/7 reachable' })
  expect(await ring.getByRole('link').count()).toBe(7)
  expect(await page.locator('fieldset').first().isVisible()).toBe(false)
  await page.getByText('Options').click()
  expect(await page.locator('fieldset').count()).toBe(3)
  expect(await page.locator('fieldset').first().isVisible()).toBe(true)
  await page.getByText('Options').click()
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(1000)
  await inject(page, 'sv-5', 'refuse')
  const home = page.getByRole('navigation').getByRole('link', { name: 'Look up' })
  await home.click()
  await page.getByRole('link', { name: 'sv-5: reachable' }).waitFor()
  await lookUp(page, 'dso.cns')
  await home.click()
  await page.getByRole('link', { name: 'sv-5: not reachable' }).waitFor()
  await shown.running.daemon.localnet?.setFault('sv-5', undefined)
  expect(troubles).toEqual([])
})

test('each page has its own sections and title, and the public address has no page of a localnet', async () => {
  await using opened = await visit()
  const { page, troubles } = opened
  const pages = [
    ['Network', 'Network', ['Super validators', 'The last hour', 'Who contradicted whom', 'Doctor']],
    ['Receipts', 'Check a receipt', []],
    ['Localnet', 'Localnet', ['A tour in six steps']],
    ['Look up', 'Look up a name', ['3 of 7 super validators must say the same']],
  ] as const
  for (const [link, title, sections] of pages) {
    const link_ = page.getByRole('navigation').getByRole('link', { name: link, exact: true })
    await link_.click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    expect(await link_.getAttribute('aria-current')).toBe('page')
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(sections)
    expect(await page.title()).toBe(link === 'Look up' ? 'bft-scan-proxy' : `${link} · bft-scan-proxy`)
  }
  await page.goto(shown.running.daemon.http)
  expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
    'Look up',
    'Network',
    'Receipts',
  ])
  expect((await shown.running.get('/localnet')).status).toBe(404)
  expect(troubles).toEqual([])
})

test('a super validator has a page: its last hour, its stories, and its release, as they change', async () => {
  const { localnet } = shown.running.daemon
  await using opened = await visit()
  const { page, troubles } = opened
  await page.getByRole('link', { name: /^sv-4: / }).click()
  await page.getByRole('heading', { level: 1, name: 'sv-4' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/sv/sv-4')
  await isLive(page)
  await page.getByText('This daemon remembers no contradiction of it.').waitFor()
  await page.getByText('Splice 0.9.0').waitFor()
  await localnet?.setFault('sv-4', { kind: 'lie' })
  await shown.running.operations('/?by=name&q=dso.cns')
  await page.getByRole('heading', { name: 'sv-4 contradicted the others' }).waitFor()
  await page.locator('.roster').getByText('1 being checked').waitFor()
  expect(await page.locator('.roster tbody tr').count()).toBe(1)
  expect(await page.locator('.heat li').count()).toBe(1)
  await page.locator('.case summary').first().click()
  await page.locator('.case .difference').first().waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Network' }).click()
  await page.locator('#live-roster').getByRole('link', { name: 'sv-2' }).click()
  await page.getByText('This daemon remembers no contradiction of it.').waitFor()
  await localnet?.setFault('sv-4', undefined)
  expect((await shown.running.operations('/sv/sv-99')).status).toBe(404)
  expect(troubles).toEqual([])
})

test('on a phone the answer comes before the ring', async () => {
  await using opened = await visit('/?by=name&q=dso.cns', { viewport: { width: 390, height: 800 } })
  const { page } = opened
  const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0
  expect(await top('#answer .entry')).toBeLessThan(await top('#answer .ring'))
  expect(await top('#answer-heading')).toBeLessThan(400)
})

test('the key / leads to the field from every page', async () => {
  await using opened = await visit('/sv/sv-1')
  const { page } = opened
  await page.keyboard.press('/')
  await page.locator('#q:focus').waitFor()
  expect(new URL(page.url()).pathname).toBe('/')
})

test('an answer is shared: by its link, and as a command that gives the same answer', async () => {
  const keeps = `Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text } } })`
  await using opened = await open(shown.browser, shown.running.daemon.operations, {}, keeps)
  const { page, troubles } = opened
  await lookUp(page, 'dso.cns')
  await page.getByRole('button', { name: 'copy link (asks again)' }).click()
  await page.waitForFunction('window.copied !== undefined')
  const link = new URL(String(await page.evaluate('window.copied')))
  expect(link.origin + link.search).toBe(`${shown.running.daemon.operations}?by=name&q=dso.cns&ask=all`)
  await page.getByRole('button', { name: 'copy as curl' }).click()
  await page.waitForFunction("window.copied.startsWith('curl')")
  const [, url = ''] =
    /^curl -i -H 'x-bft-live: \?1' '(.*)'$/.exec(String(await page.evaluate('window.copied'))) ?? []
  const answer = await fetch(url)
  expect(answer.headers.get('x-bft-quorum')).not.toBeNull()
  expect(await answer.text()).toContain('"name":"dso.cns"')
  expect(troubles).toEqual([])
})

test('the picture of a vote is saved as a file that needs no style sheet', async () => {
  await using opened = await visit('/?by=name&q=dso.cns')
  const { page, troubles } = opened
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'save the picture' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('dso.cns.svg')
  const picture = await readFile(await download.path(), 'utf8')
  expect(picture).toContain('dso.cns · bft-scan-proxy</text>')
  expect(picture).toMatch(/>Agreed: DSO::[^<]{34}…<\/text>/)
  expect(picture).toMatch(/LocalNet · \d{4}-\d\d-\d\d \d\d:\d\d UTC<\/text>/)
  await page.goto(`data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`)
  const ofNode = `getComputedStyle(document.querySelector('.stance-agreed circle')).fill`
  expect(await page.evaluate(ofNode)).toBe('rgb(15, 118, 110)')
  expect(await page.evaluate(`document.querySelectorAll('.voter').length`)).toBe(7)
  expect(troubles).toEqual([])
})

test('the picture of a vote on a localnet whose time was moved has the time of the ledger', async () => {
  await using running = await startEmbedded()
  await running.daemon.localnet?.advance?.(120 * 86_400_000)
  await using opened = await open(shown.browser, `${running.daemon.operations}/?by=name&q=dso.cns`)
  const downloading = opened.page.waitForEvent('download')
  await opened.page.getByRole('button', { name: 'save the picture' }).click()
  const picture = await readFile(await (await downloading).path(), 'utf8')
  const lines = [...picture.matchAll(/<text [^>]*class="centre-says"[^>]*>([^<]*)</g)].map(([, text]) => text)
  const ahead = Date.parse(lines.at(-1)?.slice('LocalNet · '.length) ?? '') - Date.now()
  expect(Math.abs(ahead - 120 * 86_400_000)).toBeLessThan(10 * 60_000)
})

test('only the pages of the public address are indexable, and have a title to share', async () => {
  const [own, shared] = [await shown.running.operations('/'), await shown.running.get('/?by=name&q=dso.cns')]
  expect(own.text).toContain('content="noindex"')
  expect(shared.text).not.toContain('noindex')
  expect(shared.text).toContain('property="og:title" content="dso.cns · bft-scan-proxy"')
})

test('a shared link has a preview picture, whose address no caller can choose', async () => {
  const image = async (running: typeof shown.running) => {
    const { text } = await running.get('/network', {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    })
    expect(text).not.toContain('evil')
    return /property="og:image" content="([^"]*)"/.exec(text)?.[1] ?? ''
  }
  const path = await image(shown.running)
  expect(path).toMatch(/^ui\/preview\.[\w-]+\.png$/)
  await using named = await startEmbedded({ 'ui.public': true, 'ui.url': 'https://names.example/page' })
  expect(await image(named)).toBe(`https://names.example/page/${path}`)
  const { headers, body } = await shown.running.get(`/${path}`)
  expect(headers['content-type']).toBe('image/png')
  expect([body.readUInt32BE(16), body.readUInt32BE(20)]).toEqual([1200, 630])
})

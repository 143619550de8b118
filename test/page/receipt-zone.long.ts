import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Running, startEmbedded } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'
import { madeReceipt, testKey } from '../support/receipt-signer.ts'
import { open, openBrowser } from './browser.ts'
import { isLive, lookUp, violations, visit } from './steps.ts'

let browser: Browser
let running: Running<undefined>
let other: Running<undefined>
const folder = newFolder(afterAll)

beforeAll(async () => {
  ;[running, other] = await Promise.all([startEmbedded({ 'localnet.superValidators': 7 }), startEmbedded()])
  browser = await openBrowser()
}, 60_000)

afterAll(async () => {
  await browser.close()
  await running[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})

const opens = (options = {}) => open(browser, `${running.daemon.operations}/receipts`, options)

async function receiptOf({ operations }: Running<undefined>, name = 'dso.cns'): Promise<string> {
  const [link = ''] = /ui\/receipts\/[\w-]+/.exec((await operations(`/?by=name&q=${name}`)).text) ?? []
  return (await operations(`/${link}`)).text
}

const emptied = "document.querySelectorAll('#receipt-verdict > *').forEach((part) => part.replaceChildren())"

async function choose(page: Page, text: string | Buffer): Promise<string> {
  await visit(page, 'receipts')
  const file = { name: 'any.receipt.json', mimeType: 'application/json', buffer: Buffer.from(text) }
  await page.evaluate(emptied)
  await page.getByLabel('Drop a .receipt.json file').setInputFiles(file)
  return said(page)
}

async function said(page: Page): Promise<string> {
  await page.locator('#receipt-verdict .receipt-says').waitFor()
  return (await page.locator('#receipt-verdict').allInnerTexts()).join()
}

async function drop(page: Page, text: string): Promise<unknown> {
  await page.evaluate(emptied)
  return page.evaluate(`{
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${JSON.stringify(text)}], 'dropped.receipt.json'))
    const over = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true })
    document.body.dispatchEvent(over)
    if (!over.defaultPrevented) throw new Error('the browser would open the file')
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  }`)
}

describe('A receipt', () => {
  test('is looked up, downloaded and dropped: verified; with one letter changed: refused', async () => {
    await using opened = await opens()
    const { page, troubles } = opened
    const urls: string[] = []
    page.on('request', (request) => urls.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await lookUp(page, 'dso.cns')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download receipt' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('dso.cns.receipt.json')
    const file = join(folder, download.suggestedFilename())
    await download.saveAs(file)
    const text = await readFile(file, 'utf8')

    await visit(page, 'receipts')
    await isLive(page)
    expect(urls.filter((url) => /verifier/.test(url))).toEqual([])
    const before = urls.length
    await drop(page, text)
    const verdict = await said(page)
    const host = new URL(running.daemon.operations).host
    expect(verdict).toMatch(
      new RegExp(
        `Verified: dso\\.cns belongs to DSO::1220[0-9a-f]{64} as of .*, say sv-\\d.* and sv-\\d; current until .* This is false only if daemon ${host} lies`,
      ),
    )
    expect(verdict).toContain('GET /api/scan/v0/ans-entries/by-name/dso.cns')
    expect(verdict).toMatch(/3 of 7 super validators had to say the same/)
    expect(verdict).toMatch(/This daemon's key: \S{43}/)
    expect(verdict).toContain('It does not prove that a super validator said so')
    expect(verdict).toContain('"name": "dso.cns"')
    const since = urls.slice(before)
    expect(since.filter((url) => !/^GET \/ui\/verifier\.[\w-]+\.js$/.test(url))).toEqual([])
    expect(since).toHaveLength(1)
    expect(await violations(page)).toEqual([])

    await drop(page, text.replace('dso.cns\\"', 'dsp.cns\\"'))
    await page.getByText('Refused: The body was altered: it is not the one that was signed.').waitFor()
    expect(await said(page)).toContain('This receipt proves nothing.')
    expect(await violations(page)).toEqual([])
    expect(troubles).toEqual([])
  })

  test('of another daemon is of an unknown key, until a visitor gives that key', async () => {
    await using opened = await opens()
    const { page, troubles } = opened
    const text = await receiptOf(other)
    const [, keyid = ''] = /keyid=\\"([\w-]{43})\\"/.exec(text) ?? []
    expect(await choose(page, text)).toMatch(
      new RegExp(
        `Refused: The receipt is signed by an unknown key, ${keyid}[^]*If you have this key from the owner`,
      ),
    )
    await page.getByLabel('The key that you trust').fill(`acme=${keyid}`)
    await page.keyboard.press('Tab')
    await page.getByText('This is false only if daemon acme lies').waitFor()
    expect(await said(page)).toContain(`The key that you gave: ${keyid}`)
    const { keys } = JSON.parse(text)
    await page.getByLabel('The key that you trust').fill(JSON.stringify({ keys }))
    await page.keyboard.press('Tab')
    await page.getByText('This is false only if daemon of the key that you gave lies').waitFor()
    await page.getByLabel('The key that you trust').fill(testKey('another').keyid)
    await page.keyboard.press('Tab')
    await page.getByText('Refused: The receipt is signed by an unknown key').waitFor()
    for (const none of [text, 'nonsense']) {
      await page.getByLabel('The key that you trust').fill(none)
      await page.keyboard.press('Tab')
      await page.getByText('Not checked: The key that you gave is none').waitFor()
    }
    expect(troubles).toEqual([])
  })

  test('for another question than the visitor asked is refused', async () => {
    await using opened = await opens()
    const { page } = opened
    await page.getByLabel('The name or party that you asked for').fill('sv-1.sv.cns')
    const verdict = await choose(page, await receiptOf(running))
    expect(verdict).toContain(
      'Refused: This is a receipt for another question: GET /api/scan/v0/ans-entries/by-name/dso.cns, and not GET /api/scan/v0/ans-entries/by-name/sv-1.sv.cns.',
    )
    expect(verdict).toContain('It proves nothing about sv-1.sv.cns.')
    expect(verdict).not.toContain('This receipt proves nothing')
    await page.getByLabel('The name or party that you asked for').fill('dso.cns')
    await page.keyboard.press('Tab')
    await page.getByText('Verified: ').waitFor()
    expect(await said(page)).not.toContain('is it what you asked?')
  })

  test.each([[120, '2 minutes']])(
    'that ended %d s ago, within the skew of clocks, has no green verdict, and the page says when it ended',
    async (ago, since) => {
      await using opened = await opens()
      const { page } = opened
      const key = testKey('late')
      await page.getByLabel('The key that you trust').fill(`late=${key.keyid}`)
      const expires = Math.floor(Date.now() / 1000) - ago
      const made = madeReceipt(key, { created: expires - 5, expires })
      const verdict = await choose(page, JSON.stringify({ ...made, keys: [key.jwk] }))
      const headline = page.locator('#receipt-verdict .receipt-says')
      expect(await headline.locator('strong').textContent()).toBe(
        `Proved. It stopped being current ${since} ago: `,
      )
      expect(await headline.textContent()).toContain(', say sv-a, ')
      expect(await page.locator('#receipt-verdict .stance-agreed').count()).toBe(0)
      expect(verdict).toMatch(/, was valid until /)
      expect(await violations(page)).toEqual([])
    },
  )

  test('is checked while the daemon is dead, if the verifier was loaded before', async () => {
    await using opened = await opens()
    const { page } = opened
    const text = await receiptOf(running)
    await choose(page, 'nonsense')
    await page.context().setOffline(true)
    await drop(page, text)
    await page.getByText('Verified: ').waitFor()
  })
})

describe('A file that is no receipt', () => {
  const noReceipt = /Not checked: This file is no receipt: it is not JSON/
  test.each([
    ['no JSON', 'hello', noReceipt],
    ['empty', '', noReceipt],
    ['JSON of another kind', '[]', /Not checked: This file is no receipt: the receipt is no object/],
    [
      'JSON that is nested deeply',
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      /Not checked: This file is no receipt: /,
    ],
    ['huge', Buffer.alloc(5 * 2 ** 20), /Not checked: This file has 5 MiB, and a receipt has at most 4/],
    ['binary', Buffer.from([0xff, 0xfe, 0x00, 0x80]), noReceipt],
  ])('is named as such: %s', async (_, content, says) => {
    await using opened = await opens()
    expect(await choose(opened.page, content)).toMatch(says)
    expect(opened.troubles).toEqual([])
  })
})

describe('What a receipt says', () => {
  test('is text and nothing else, whatever it is', async () => {
    await using opened = await opens()
    const { page, troubles } = opened
    const key = testKey('hostile')
    await page.getByLabel('The key that you trust').fill(`<b>hostile</b>=${key.keyid}`)
    const hostile = fc.oneof(
      fc.constantFrom(
        '<img src=x onerror="document.title=1">',
        '</pre><script>document.title=1</script>',
        '\u202Eevil\u2066',
        '\u0000\u0007\u009b2J',
        '⟨U+0000⟩',
        '&lt;b&gt;',
        '<!--',
      ),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ maxLength: 60 }),
    )
    const now = Math.floor(Date.now() / 1000)
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (inBody, inName) => {
        const body = JSON.stringify({ entry: { name: inBody, [inBody]: [inName] } })
        const ascii = inName.replaceAll(/[^ -~]|["\\]/g, '')
        const made = madeReceipt(key, {
          body,
          agreed: `"${ascii}", "sv-b"`,
          quorum: 'agreed=2, threshold=2, asked=2, voters=3',
          created: now,
          expires: now + 600,
        })
        await drop(page, JSON.stringify({ ...made, keys: [key.jwk] }))
        const verdict = await said(page)
        expect(verdict).toMatch(/(Verified|Refused):/)
        const wrong = await page.evaluate(
          "[...document.querySelectorAll('#receipt-verdict :not(.copy)')].map(({ tagName }) => tagName).filter((tag) => !['P', 'I', 'SPAN', 'STRONG', 'BDI', 'DL', 'DT', 'DD', 'DIV', 'PRE', 'TIME'].includes(tag))",
        )
        expect(wrong).toEqual([])
        const text = (await page.locator('#receipt-verdict').textContent()) ?? ''
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      }),
      { numRuns: 40 },
    )
    expect(await page.title()).toBe('Receipts · bft-scan-proxy')
    expect(troubles).toEqual([])
  })
})

test('without a mouse a receipt is chosen by the keyboard', async () => {
  await using opened = await opens()
  const { page } = opened
  const zone = page.getByLabel('Drop a .receipt.json file')
  await zone.waitFor()
  const choosing = page.waitForEvent('filechooser')
  await zone.press('Space')
  await (await choosing).setFiles({
    name: 'a.json',
    mimeType: 'application/json',
    buffer: Buffer.from(await receiptOf(running)),
  })
  expect(await said(page)).toContain('Verified: ')
  expect(await page.locator('#receipt-says').getAttribute('role')).toBe('status')
})

test('a daemon without keys judges no receipt until the visitor gives a key', async () => {
  const text = await receiptOf(other)
  await using keyless = await startEmbedded({ 'receipts.sign': 'off' })
  await using opened = await open(browser, keyless.daemon.operations)
  const { page } = opened
  expect(await choose(page, text)).toContain('This daemon lists no key: give the key that you trust.')
  const [, own = ''] = /keyid=\\"([\w-]{43})\\"/.exec(text) ?? []
  await page.getByLabel('The key that you trust').fill(own)
  await page.keyboard.press('Tab')
  await page.getByText('Verified: ').waitFor()
})

test('after the clock of a localnet was moved, its receipts still verify', async () => {
  await using later = await startEmbedded()
  await later.daemon.localnet?.advance?.(40 * 86_400_000)
  await using opened = await open(browser, later.daemon.operations)
  expect(await choose(opened.page, await receiptOf(later))).toContain('Verified: ')
})

test.each([
  ['11 minutes', 11 * 60_000],
  ['2 days', 2 * 86_400_000],
])('%s later a receipt says what it proved then, and an altered one is refused', async (_, ms) => {
  await using later = await startEmbedded()
  const [value, absence] = [await receiptOf(later), await receiptOf(later, 'nobody.unverified.cns')]
  await later.daemon.localnet?.advance?.(ms)
  await using opened = await open(browser, later.daemon.operations)
  const { page, troubles } = opened
  expect(await choose(page, value)).toMatch(
    /Proved for that time, and no longer current: dso\.cns belonged to DSO::1220[0-9a-f]{64} at \S+Z, say sv-\d.*; this receipt makes no claim about later times\./,
  )
  expect(await choose(page, absence)).toMatch(
    /Proved for that time, and no longer current: There was no name nobody\.unverified\.cns at \S+Z, say /,
  )
  expect(await violations(page)).toEqual([])
  expect(await choose(page, value.replace('dso.cns\\"', 'dsp.cns\\"'))).toContain(
    'Refused: The body was altered',
  )
  expect(troubles).toEqual([])
})

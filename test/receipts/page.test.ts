import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lookupReceipt } from '../../src/cli/lookup-receipt.ts'
import { verify } from '../../src/cli/verify.ts'
import { parseReceipt, verifyReceipt } from '../../src/client/receipts/receipts.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'
import { directory, keysIn } from './verified.ts'

const alice = 'alice.unverified.cns'

let stage: Stage<undefined>
const folder = newFolder(afterAll)

beforeAll(async () => {
  stage = await startLiveStage({ config: { 'ui.public': true } })
})

afterAll(async () => {
  await stage[Symbol.asyncDispose]()
})

const addressOf = (q: string, at?: number) =>
  `/ui/receipt?${new URLSearchParams({ by: 'name', q, ...(at !== undefined && { at: String(at) }) })}`

function linkIn(page: string): string | undefined {
  return /href="(ui\/receipt\?[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
}

/** Returns the link to a receipt that the daemon does not keep any more. */
function forgotten(link = ''): string {
  return link.replace(/&vote=[^&]*/, '&vote=other')
}

async function printed(
  command: (print: { out(line: string): void; err(line: string): void }) => Promise<number>,
) {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  return { code: await command({ out: say, err: say }), lines: lines.join('\n') }
}

describe('The receipt that the page offers', () => {
  test('is of the vote that the page shows: its time, and everyone that it asked', async () => {
    await stage.fault(['sv-2'], 'lie')
    const link = linkIn((await stage.operations(`/?by=name&q=${alice}&ask=all`)).text)
    const before = stage.asks()
    const { response } = parseReceipt((await stage.operations(`/${link}`)).text)
    const again = await stage.operations(`/${link}`)
    expect(parseReceipt(again.text).response).toEqual(response)
    expect(stage.asks()).toBe(before)
    const { headers } = response
    expect(headers['x-bft-quorum']).toContain(`asked=${stage.names.length},`)
    expect(headers['x-bft-agreed']).not.toContain('sv-2')
    await stage.fault(stage.names, undefined)
  })

  test('is the file that the command lookup saves, if it is not kept, and the command verify accepts it', async () => {
    const link = forgotten(linkIn((await stage.operations(`/?by=name&q=${alice}`)).text))
    const heard = await stage.operations(`/${link}`)
    expect(heard.status).toBe(200)
    expect(heard.headers['content-disposition']).toBe(`attachment; filename="${alice}.receipt.json"`)
    const file = join(folder, 'page.receipt.json')
    await writeFile(file, heard.body)
    const other = join(folder, 'command.receipt.json')
    const given = {
      what: alice,
      file: other,
      daemon: stage.daemon.http,
      live: false,
      json: false,
    }
    expect((await printed((print) => lookupReceipt(given, print, {}))).code).toBe(0)
    expect(heard.text).toBe(await readFile(other, 'utf8'))

    const [key] = keysIn(await stage.get(directory))
    const checked = {
      owners: undefined,
      question: alice,
      at: undefined,
      'max-age': undefined,
      least: '2',
      roster: [],
      current: false,
      json: false,
    }
    const { code, lines } = await printed((print) =>
      verify({ ...checked, files: [file], key: [`acme=${key?.kid}`] }, print),
    )
    expect(lines).toContain('alice.unverified.cns belongs to ')
    expect(code).toBe(0)
  })

  test('is of an answer that is at least as new as the one on the card', async () => {
    await stage.operations(addressOf(alice))
    const before = Date.now()
    const link = linkIn((await stage.operations(`/?by=name&q=${alice}`)).text)
    expect(Number(new URLSearchParams(link?.split('?')[1]).get('at'))).toBeGreaterThanOrEqual(before)
    const receipt = parseReceipt((await stage.operations(`/${link}`)).text)
    const [, at] = /at=@(\d+)/.exec(receipt.response.headers['x-bft-receipt'] ?? '') ?? []
    expect(Number(at)).toBeGreaterThanOrEqual(Math.floor(before / 1000))
  })

  test('is refused if the answer is no longer the one on the card', async () => {
    const link = forgotten(linkIn((await stage.operations(`/?by=name&q=${alice}`)).text))
    const mark = new URLSearchParams(link.split('?')[1]).get('mark') ?? ''
    expect((await stage.operations(`/${link.replace(mark, 'none')}`)).status).toBe(409)
    const gone = await stage.operations(`/${link.replace('alice', 'nobody')}`)
    expect(gone.status).toBe(409)
    expect(gone.text).toBe(
      'The answer has changed since this look-up. Callers are now told that there is none. Look it up again, and download the receipt of that answer.',
    )
  })

  test('is there for an absence and for a party, and on the public address', async () => {
    const nobody = linkIn((await stage.operations('/?by=name&q=nobody.unverified.cns')).text)
    expect(parseReceipt((await stage.operations(`/${nobody}`)).text).response.status).toBe(404)
    const { user } = stage.localnet.truth.entryByName(alice) as { user: string }
    const party = linkIn((await stage.get(`/?by=party&q=${encodeURIComponent(user)}`)).text)
    const { request } = parseReceipt((await stage.get(`/${party}`)).text)
    expect(request.path).toBe(`/api/scan/v0/ans-entries/by-party/${encodeURIComponent(user)}`)
  })

  test('is not there for a list, for an answer in doubt, and where nothing is agreed', async () => {
    expect(linkIn((await stage.operations('/?by=prefix&q=alice')).text)).toBeUndefined()
    await stage.fault(['sv-2', 'sv-3'], 'lie')
    expect(linkIn((await stage.operations('/?by=name&q=nobody.unverified.cns')).text)).toBeUndefined()
    await stage.fault(stage.names, undefined)
  })

  test('is of whatever name was asked for, and its own question accepts it', async () => {
    const [key] = keysIn(await stage.get(directory))
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (name) => {
        const heard = await stage.operations(addressOf(name))
        if (heard.status !== 200) {
          expect(heard.status).toBe(400)
          expect(heard.headers['content-type']).toMatch(/^text\/plain/)
          return
        }
        expect(heard.headers['content-disposition']).toMatch(/^attachment; filename="[\w.-]+"$/)
        const receipt = parseReceipt(heard.text)
        const pins = [{ name: 'own', key: key?.kid ?? '' }]
        expect((await verifyReceipt(receipt, { pins, question: receipt.request })).kind).toBe('current')
      }),
      { numRuns: 60 },
    )
  })
})

describe('A request for a receipt that cannot exist gets the reason:', () => {
  test.each([
    ['/ui/receipt', 400, 'Type a name to look up.'],
    ['/ui/receipt?by=prefix&q=a', 400, 'A list of names has no receipt here.'],
    ['/ui/receipt?by=party&q=nobody', 400, 'A party is a name, two colons'],
  ])('%s', async (path, status, says) => {
    const heard = await stage.operations(path)
    expect([heard.status, heard.text]).toEqual([status, expect.stringContaining(says)])
  })

  test('a time that has not come', async () => {
    const heard = await stage.operations(addressOf(alice, 9_999_999_999_999))
    expect(heard.status).toBe(502)
  })

  test('nobody agrees', async () => {
    await stage.fault(stage.names, { kind: 'lie', alone: true })
    const heard = await stage.operations(addressOf('bob.unverified.cns'))
    expect([heard.status, heard.headers['content-type']]).toEqual([502, 'text/plain; charset=utf-8'])
    await stage.fault(stage.names, undefined)
  })
})

test('a daemon that signs nothing offers no receipts, and still checks receipts of others', async () => {
  await using silent = await startLiveStage({ config: { 'receipts.sign': 'off' } })
  const page = (await silent.operations(`/?by=name&q=${alice}`)).text
  expect(linkIn(page)).toBeUndefined()
  expect((await silent.operations('/receipts')).text).toContain('id="receipt-zone"')
  expect((await silent.operations(addressOf(alice))).status).toBe(404)
})

test('downloads on the public address cost as much as other uncached reads', async () => {
  await using stingy = await startLiveStage({ config: { 'ui.public': true, 'http.missesPerSecond': 1 } })
  const statuses: number[] = []
  for (let name = 0; name < 5; name++)
    statuses.push((await stingy.get(addressOf(`nobody-${name}.unverified.cns`))).status)
  expect(statuses).toContain(429)
  await stingy.get(addressOf(alice))
})

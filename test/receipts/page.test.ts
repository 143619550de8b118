import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

function linkIn(page: string): string | undefined {
  return /href="(ui\/receipts\/[^"]*)"/.exec(page)?.[1]
}

async function receiptOf(name: string) {
  return stage.operations(
    `/${linkIn((await stage.operations(`/?${new URLSearchParams({ by: 'name', q: name })}`)).text)}`,
  )
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

  test('is a file that the command verify accepts', async () => {
    const heard = await receiptOf(alice)
    expect(heard.status).toBe(200)
    expect(heard.headers['content-disposition']).toBe(`attachment; filename="${alice}.receipt.json"`)
    const file = join(folder, 'page.receipt.json')
    await writeFile(file, heard.body)
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

  test('is gone if the daemon no longer keeps it, and then says what to do', async () => {
    const heard = await stage.operations('/ui/receipts/forgotten')
    expect([heard.status, heard.text]).toEqual([
      404,
      'This daemon no longer has the receipt of this look-up. Look it up again.',
    ])
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
        const heard = await receiptOf(name)
        if (heard.status !== 200) return
        expect(heard.headers['content-disposition']).toMatch(/^attachment; filename="[\w.-]+"$/)
        const receipt = parseReceipt(heard.text)
        const pins = [{ name: 'own', key: key?.kid ?? '' }]
        expect((await verifyReceipt(receipt, { pins, question: receipt.request })).kind).toBe('current')
      }),
      { numRuns: 60 },
    )
  })
})

test('a daemon that signs nothing offers no receipts, and still checks receipts of others', async () => {
  await using silent = await startLiveStage({ config: { 'receipts.sign': 'off' } })
  const page = (await silent.operations(`/?by=name&q=${alice}`)).text
  expect(linkIn(page)).toBeUndefined()
  expect((await silent.operations('/receipts')).text).toContain('id="receipt-zone"')
})

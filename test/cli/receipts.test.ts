import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lookup } from '../../src/cli/lookup.ts'
import { type VerifyArguments, verify } from '../../src/cli/verify.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { newFolder } from '../support/new-folder.ts'
import { agreedAt, madeReceipt, testKey } from '../support/receipt-signer.ts'
import { startSigningServer } from '../support/signing-server.ts'
import { command, commandHere } from './command.ts'
import { printed } from './printed.ts'

const key = testKey('one')
const other = testKey('two')
const at = new Date((agreedAt + 60) * 1000).toISOString()
const name = 'alice.unverified.cns'

const folder = newFolder(afterAll)
const file = (path: string) => join(folder, path)
beforeAll(async () => {
  await writeFile(file('one.receipt.json'), JSON.stringify(madeReceipt(key)))
  await writeFile(file('two.receipt.json'), JSON.stringify(madeReceipt(other)))
  await writeFile(file('one.jwk'), JSON.stringify({ ...key.jwk, kid: key.keyid }))
  await writeFile(file('two.jwks'), JSON.stringify({ keys: [other.jwk] }))
})

async function verified(given: Partial<Parameters<typeof verify>[0]> = {}) {
  const { print, out, err } = printed()
  const defaults = {
    files: [file('one.receipt.json')],
    key: [`acme=${file('one.jwk')}`],
    owners: undefined,
    question: undefined,
    at,
    'max-age': undefined,
    least: undefined,
    roster: [],
    current: false,
    json: false,
  }
  return { code: await verify({ ...defaults, ...given }, print), out, err }
}

test('verify says in one sentence what a receipt proves, and shows question and answer', async () => {
  const { code, out, err } = await verified()
  expect(out[0]).toBe(
    'alice.unverified.cns belongs to alice::1220ab as of 2026-11-22T03:00:00Z, say sv-a, sv-b, sv-c, sv-d and sv-e; current until 2026-11-23T03:00:00Z. This is false only if daemon acme lies, or if these five lie together.',
  )
  expect(out.join('\n')).toContain('GET /v0/scan-proxy/ans-entries/by-name/alice.unverified.cns')
  expect(out.join('\n')).toContain('"user":"alice::1220ab"')
  expect({ code, err }).toEqual({
    code: 0,
    err: ['warning: check that this is your question, or say it by --question.'],
  })
})

test('verify takes the question, the threshold and several receipts', async () => {
  const both = {
    files: [file('one.receipt.json'), file('two.receipt.json')],
    key: [file('one.jwk'), file('two.jwks')],
  }
  expect(await verified({ ...both, owners: '2', question: name, least: '5' })).toMatchObject({
    code: 0,
    err: [],
  })
  expect(await verified({ ...both, owners: '3' })).toMatchObject({
    code: 1,
    err: ['Only 2 of the 3 owners that you want vouch for one answer.'],
  })
  expect(await verified({ question: 'bob.unverified.cns' })).toMatchObject({
    code: 1,
    err: [
      expect.stringMatching(
        /This is a receipt for another question: GET .*, and not GET .*\/bob\.unverified\.cns\./,
      ),
    ],
  })
})

describe.each([
  ['11 minutes', 11 * 60_000],
  ['2 days', 2 * 86_400_000],
])('verify %s later', (_, ms) => {
  const later = (given: Parameters<typeof madeReceipt>[1], options: Partial<VerifyArguments> = {}) =>
    verifiedAfter(ms, given, options)

  test('says what a receipt proved then, and ends with 0, or with 3 if it must be current', async () => {
    const { code, out, err } = await later({})
    expect(out[0]).toBe(
      'alice.unverified.cns belonged to alice::1220ab at 2026-11-22T03:00:00Z, say sv-a, sv-b, sv-c, sv-d and sv-e; this receipt makes no claim about later times. This is false only if daemon acme lies, or if these five lie together.',
    )
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(await later({}, { current: true })).toEqual({ code: 3, out, err: [] })
    expect(await verifiedAfter(60_000, {}, { current: true })).toMatchObject({ code: 0, err: [] })
  })

  test('says that a name did not exist then', async () => {
    const absence = {
      status: 404,
      body: '{"error":"none"}',
      quorum: 'agreed=1, threshold=1, asked=1, voters=4',
    }
    const { code, out } = await later({ ...absence, agreed: '"sv-a"' })
    expect(out[0]).toMatch(
      /^There was no name alice\.unverified\.cns at 2026-11-22T03:00:00Z, says sv-a; this /,
    )
    expect(code).toBe(0)
  })

  test('refuses too old an answer, too low a threshold and another roster', async () => {
    for (const [given, why] of [
      [{ 'max-age': '10m' }, 'The answer is as of'],
      [{ least: '6' }, 'you want at least 6'],
      [{ roster: ['other'] }, 'The roster has another digest'],
    ] as const)
      expect(await later({}, given)).toMatchObject({ code: 1, err: [expect.stringContaining(why)] })
  })
})

async function verifiedAfter(
  ms: number,
  given: Parameters<typeof madeReceipt>[1],
  options: Partial<VerifyArguments>,
) {
  const clock = new ManualClock(agreedAt * 1000)
  const made = file('past.receipt.json')
  await writeFile(made, JSON.stringify(madeReceipt(key, { expires: agreedAt + 330, ...given })))
  clock.advance(ms)
  return verified({ files: [made], question: name, at: new Date(clock.wall()).toISOString(), ...options })
}

test.each<readonly [Partial<VerifyArguments>, string]>([
  [{ key: ['nothing.jwk'] }, 'nothing.jwk is neither the id of a key'],
  [{ files: ['nothing.json'] }, 'nothing.json cannot be read'],
  [{ owners: 'all' }, '--owners must be a whole number from 1, not all'],
  ...[
    ...`noon 2026-02-30 2026-02-29T00:00:00Z 2026-04-31T12:00:00Z 2026-13-01 2026-00-01 2026-01-00
  2026-01-01T24:00:00Z 2026-01-01T23:59:60Z 2026-01-01T23:60:00Z 2026-01-01T12:00:00+18:01
  2026-01-01T12:00:00+25:00 2026-01-01T12:00:00 0000-01-01 1969-12-31 12026-01-01 7`.split(/\s+/),
    'March 7, 2026',
    '',
  ].map((at) => [{ at }, `--at must be a time such as 2026-11-22T12:00:00Z, not ${at}.`] as const),
  [{ 'max-age': 'a while' }, '--max-age must be a duration such as 3h, not a while.'],
])('verify with %j ends with 64 and a reason', async (given, why) => {
  const { code, err } = await verified(given)
  expect({ code, err }).toEqual({ code: 64, err: [expect.stringContaining(why)] })
})

test('a receipt that lookup saved verifies offline by the id of the key, and one changed letter is found', async () => {
  const saved = file('alice.receipt.json')
  {
    await using server = await startSigningServer(key)
    const { code, out, err } = await command(['lookup', name, '--receipt', saved, '--daemon', server.url])
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(`whether ${key.keyid} is its key`),
    })
    expect(out).toContain('"user":"alice::1220ab"')
  }
  const check = () => command(['verify', saved, '--key', `acme=${key.keyid}`, '-k', '1', '--question', name])
  expect(await check()).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(/^alice.unverified.cns belongs to alice::1220ab as of /),
  })
  expect(await command(['verify', saved, '--key', `acme=${saved}`])).toMatchObject({
    code: 64,
    err: expect.stringContaining('as a JWK; the keys in a receipt do not count.'),
  })
  await writeFile(saved, (await readFile(saved, 'utf8')).replace('alice::1220ab', 'alicf::1220ab'))
  expect(await check()).toMatchObject({
    code: 1,
    err: 'The body was altered: it is not the one that was signed.\n',
    out: '',
  })
})

test('lookup saves no receipt of a time to come, and says so', async () => {
  const saved = file('future.receipt.json')
  const created = Math.floor(Date.now() / 1000) + 86_400
  await using server = await startSigningServer(key, { created, expires: created + 300 })
  expect(await commandHere(['lookup', name, '--receipt', saved, '--daemon', server.url])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('from the future'),
  })
  await expect(readFile(saved)).rejects.toThrow('ENOENT')
})

test('lookup saves no receipt of a daemon that lists no keys, and says so in one sentence', async () => {
  const saved = file('keyless.receipt.json')
  await using server = await startSigningServer(key, { lists: 'none' })
  expect(await commandHere(['lookup', name, '--receipt', saved, '--daemon', server.url])).toEqual({
    code: 1,
    out: '',
    err: `The receipt of ${server.url} is not saved, because ${server.url} lists no keys.\n`,
  })
  await expect(readFile(saved)).rejects.toThrow('ENOENT')
})

test('lookup saves nothing where the daemon gives no receipt, or one that its own keys do not verify', async () => {
  const saved = file('none.receipt.json')
  const asking = async (url: string) => {
    const { print, out, err } = printed()
    const given = { what: name, all: false, live: false, json: false, receipt: saved, daemon: url }
    return { code: await lookup(given, print), out, err }
  }
  await using silent = await startSigningServer(key, { silent: true })
  expect(await asking(silent.url)).toEqual({
    code: 69,
    out: [],
    err: [
      `${silent.url} answers 200 and gives no receipt: it has no key (receipts.keyFile, RECEIPTS_KEY_FILE), or receipts.sign is off`,
    ],
  })
  await using foreign = await startSigningServer(key, { lists: other })
  expect(await asking(foreign.url)).toMatchObject({
    code: 1,
    err: [expect.stringContaining('it does not verify. The receipt is signed by an unknown key')],
  })
  await expect(readFile(saved)).rejects.toThrow('ENOENT')
})

test('verify says how to add a key that it does not know', async () => {
  expect(await verified({ files: [file('two.receipt.json')] })).toMatchObject({
    code: 1,
    err: [
      `The receipt is signed by an unknown key, ${other.keyid}. To trust it, ask the daemon's owner whether it is theirs, and add it: verify --key NAME=ID, or pins in a program.`,
    ],
  })
})

test('lookup takes --receipt neither with --all, nor --daemon without --receipt', async () => {
  const { print, err } = printed()
  const given = { what: name, live: false, json: false }
  expect(await lookup({ ...given, all: true, receipt: 'x' }, print)).toBe(64)
  expect(await lookup({ ...given, all: false, daemon: 'http://a' }, print)).toBe(64)
  expect(err).toEqual([
    'error: --receipt and --all cannot be combined',
    'error: --daemon needs --receipt FILE',
  ])
})

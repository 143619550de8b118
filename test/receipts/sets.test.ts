import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  lookupQuestion,
  type ReceiptQuestion,
  receiptOf,
  verifyReceipt,
} from '../../src/client/receipts/receipts.ts'
import { byName } from '../daemon/questions.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import { moveBetweenSnapshots } from '../mirror/between-snapshots.ts'
import { type Running, type Stage, startEmbedded, startLiveStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { leafOf, treeHash } from '../support/set-signer.ts'
import { asking, directory, keysIn, verifies } from './verified.ts'

const forSet = { 'accept-signature': 'set=();tag="bft-scan-set"' }
const forBoth = { 'accept-signature': 'r=();tag="bft-scan-receipt", s=();tag="bft-scan-set"' }
const mirrored = ['in-the-set.unverified.cns', 'josé.unverified.cns', 'zoe.unverified.cns']

let stage: Stage<undefined>
let keys: ReturnType<typeof keysIn>
/** The time at which the entries that `put` makes expire: milliseconds since 1970. */
let expiresAt: number

const put = (name: string) => {
  const { world, superValidators } = stage.localnet
  world.put({ name, user: superValidators[0]?.party ?? '', expiresAt, description: name })
}

async function timeOf({ daemon }: Running<undefined>): Promise<Date> {
  return new Date(JSON.parse((await ask(daemon.localnet?.control ?? '', '/time')).text).now)
}

async function outlastShortNames(of: Running<undefined>): Promise<void> {
  const body = JSON.stringify({ duration: '10m' })
  await ask(of.daemon.localnet?.control ?? '', '/time/advance', { method: 'POST', body })
}

async function takeSnapshot(of: Running<undefined>): Promise<void> {
  const begun = (await timeOf(of)).getTime()
  await moveBetweenSnapshots(of.daemon.localnet?.control)
  await eventually(async () => Date.parse((await of.report('/status')).mirror.asOf) > begun)
}

beforeAll(async () => {
  stage = await startLiveStage({
    config: { 'mirror.level': 'bindings', 'mirror.spotCheckInterval': '24h' },
  })
  keys = keysIn(await stage.get(directory))
  expiresAt = Date.now() + 90 * 86_400_000
  for (const name of mirrored) put(name)
  await outlastShortNames(stage)
  await takeSnapshot(stage)
}, 60_000)

afterAll(() => stage[Symbol.asyncDispose]())

function get(name: string, headers: AskOptions['headers'] = forSet): Promise<Heard> {
  return stage.get(lookupQuestion(name).path, { headers })
}

async function verdictOn(
  name: string,
  heard: Heard,
  question: ReceiptQuestion = lookupQuestion(name),
  of: Running<undefined> = stage,
) {
  const headers = new Headers(
    Object.entries(heard.headers).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const receipt = receiptOf(question, { status: heard.status, headers }, heard.body)
  if (receipt === undefined) return undefined
  const [{ x, kid }] = keysIn(await of.get(directory)) as [(typeof keys)[number]]
  const pins = [{ name: 'here', key: { kty: 'OKP', crv: 'Ed25519', x } as const }]
  const verdict = await verifyReceipt(receipt, { pins, question, now: await timeOf(of) })
  if (verdict.kind === 'verified') expect(verdict.statements[0].keyid).toBe(kid)
  return verdict
}

describe('a caller that asks for the set', () => {
  test.each(mirrored)('gets the proof of %s, and no signature of the answer', async (name) => {
    const heard = await get(name)
    expect(heard.status).toBe(200)
    expect(heard.headers['cache-status']).toContain('detail=mirror')
    expect(heard.headers).not.toHaveProperty('x-bft-receipt')
    expect(await verdictOn(name, heard)).toMatchObject({
      kind: 'verified',
      says: expect.stringContaining(`and that this is the entry of ${name} among them`),
      statements: [{ status: 200, body: { entry: { name } }, proven: { name, proves: 'entry' } }],
    })
  })

  test.each(['a', 'nobody.unverified.cns', 'zzz', '\u{1f600}'])(
    'gets the live absence of %s, and the proof that the snapshot lacked it',
    async (name) => {
      const heard = await get(name)
      expect(heard.status).toBe(404)
      expect(heard.headers['cache-status']).not.toContain('mirror')
      const asOf = (await stage.report('/status')).mirror.asOf.replace('.000', '')
      expect(await verdictOn(name, heard)).toMatchObject({
        kind: 'verified',
        says: expect.stringContaining(
          `as of ${asOf}, and that ${name} was none of them then, which says nothing of later`,
        ),
        statements: [{ status: 404, proven: { name, proves: 'absence' } }],
      })
    },
  )

  test("also gets it on the path of Splice's scan proxy", async () => {
    for (const name of [...mirrored, 'nobody.unverified.cns']) {
      const question = { method: 'GET', path: byName(encodeURIComponent(name)) } as const
      const heard = await stage.get(question.path, { headers: forSet })
      expect(await verdictOn(name, heard, question)).toMatchObject({ kind: 'verified' })
    }
  })

  test('gets the same statement with each proof, which other libraries verify', async () => {
    const [first, second] = await Promise.all([get(mirrored[0] as string), get('nobody')])
    for (const name of ['x-bft-set', 'signature-input', 'signature'])
      expect(second.headers[name]).toBe(first.headers[name])
    const unusual = { now: await timeOf(stage), covers: 'x-bft-set' }
    expect(await verifies(first, { path: '/any/path' }, keys, unusual)).toBe(true)
    const altered = {
      ...first.headers,
      'x-bft-set': String(first.headers['x-bft-set']).replace('v=1', 'v=2'),
    }
    const request = { path: '/any/path' }
    expect(await verifies({ ...first, headers: altered }, request, keys, unusual)).toBe(false)
  })

  test('can compute the root from all names of the snapshot', async () => {
    const { body } = await stage.get('/v0/ans-entries?page_size=1000')
    const { entries } = JSON.parse(body.toString())
    const users = entries.filter((entry: { contract_id: string | null }) => entry.contract_id !== null)
    const root = treeHash(users.map(leafOf)).toString('base64')
    const { headers } = await get(mirrored[0] as string)
    expect(headers['x-bft-set']).toContain(`names=${users.length}, root=:${root}:`)
  })

  test('finds the documents that the set names: the roster, and who gave the snapshot', async () => {
    const { headers } = await get(mirrored[0] as string)
    const documentOf = (member: string) => {
      const digest = new RegExp(`${member}=:(.*?):`).exec(String(headers['x-bft-set']))?.[1] ?? ''
      return stage.get(`/receipts/${Buffer.from(digest, 'base64').toString('base64url')}`)
    }
    expect(JSON.parse((await documentOf('votes')).text)).toMatchObject({
      basis: 'mirror',
      question: { read: 'getAcsSnapshotAtV1' },
    })
    expect(JSON.parse((await documentOf('roster')).text)).toMatchObject({ kind: 'roster' })
  })

  test('and for the signed answer gets both, each under its own label', async () => {
    for (const [name, status] of [[mirrored[0] as string, 200] as const, ['nobody', 404] as const]) {
      const heard = await get(name, forBoth)
      expect(heard.status).toBe(status)
      expect(heard.headers['signature']).toMatch(/^r=:.*:, s=:.*:$/)
      const unusual = { now: await timeOf(stage), label: 'r' }
      expect(await verifies(heard, lookupQuestion(name), keys, unusual)).toBe(true)
      const alone = await get(name, asking)
      expect(alone.headers).not.toHaveProperty('x-bft-set')
      const { statements } = (await verdictOn(name, heard)) as Extract<
        Awaited<ReturnType<typeof verdictOn>>,
        { kind: 'verified' }
      >
      expect(statements[0].proven).toBeUndefined()
    }
  })
})

describe('a response has no proof from a set', () => {
  const bare = async (path: string, options: AskOptions = { headers: forSet }) => {
    const heard = await stage.get(path, options)
    expect(heard.headers).not.toHaveProperty('x-bft-proof')
    expect(heard.headers).not.toHaveProperty('signature')
    return heard
  }
  const path = (name: string) => lookupQuestion(name).path

  test('of names of the DSO and of super validators, of parties, of lists, and with a query', async () => {
    expect((await bare(path('dso.cns'))).status).toBe(200)
    expect((await bare(path('nobody.sv.cns'))).status).toBe(404)
    const party = stage.localnet.superValidators[0]?.party ?? ''
    expect((await bare(path(party))).status).toBe(200)
    expect((await bare('/v0/ans-entries?page_size=2&name_prefix=in-')).status).toBe(200)
    expect((await bare(`${path(mirrored[0] as string)}?a=b`)).status).toBe(200)
  })

  test('to HEAD, in a 304, in an error, and for a caller that wants nothing as old', async () => {
    const name = mirrored[0] as string
    await bare(path(name), { method: 'HEAD', headers: forSet })
    const etag = String((await stage.get(path(name))).headers['etag'])
    const same = await bare(path(name), { headers: { ...forSet, 'if-none-match': etag } })
    expect([same.status, same.headers['vary']]).toEqual([304, 'accept-signature'])
    expect((await bare('/v0/ans-entries/by-party/x')).status).toBe(400)
    await bare(path(name), { headers: { ...forSet, 'x-bft-live': '?1' } })
  })

  test('of a name that was registered since, which has a signature of its own', async () => {
    const name = 'newer.unverified.cns'
    put(name)
    for (let time = 0; time < 2; time++) {
      const heard = await get(name, forBoth)
      expect(heard.status).toBe(200)
      expect(heard.headers).not.toHaveProperty('x-bft-proof')
      expect(heard.headers['signature']).toMatch(/^r=:[^,]*:$/)
    }
    await bare(path(name))
  })

  test('without a mirror', async () => {
    await using plain = await startLiveStage()
    const heard = await plain.get(path('nobody'), { headers: forSet })
    expect(heard.status).toBe(404)
    expect(heard.headers).not.toHaveProperty('signature')
  })
})

test('an absence that the mirror answers as of now has the proof that its last snapshot lacked the name', async () => {
  await using running = await startEmbedded({ 'mirror.level': 'stream', 'mirror.pollInterval': '100ms' })
  await takeSnapshot(running)
  const name = 'nobody.unverified.cns'
  const question = lookupQuestion(name)
  let heard = await running.get(question.path, { headers: forSet })
  await eventually(async () => {
    heard = await running.get(question.path, { headers: forSet })
    return heard.headers['x-bft-as-of']?.includes(';claim=state;') === true
  })
  expect([heard.status, heard.headers['cache-status']]).toEqual([404, 'bft-scan-proxy; hit; detail=mirror'])
  expect(await verdictOn(name, heard, question, running)).toMatchObject({
    kind: 'verified',
    statements: [{ proven: { name, proves: 'absence' } }],
  })
})

test('the next snapshot has a statement of its own, with the names that came and went', async () => {
  const before = String((await get('nobody')).headers['x-bft-set'])
  put('later.unverified.cns')
  stage.localnet.world.remove(mirrored[2] as string)
  await takeSnapshot(stage)
  const later = await get('later.unverified.cns')
  expect(later.headers['x-bft-set']).not.toBe(before)
  expect(await verdictOn('later.unverified.cns', later)).toMatchObject({
    statements: [{ proven: { proves: 'entry' } }],
  })
  const gone = mirrored[2] as string
  expect(await verdictOn(gone, await get(gone))).toMatchObject({
    statements: [{ proven: { proves: 'absence' } }],
  })
})

test('a mirror that serves nothing proves nothing, and answers are signed one by one', async () => {
  for (const name of ['later.unverified.cns', ...mirrored.slice(0, 2)]) stage.localnet.world.remove(name)
  await moveBetweenSnapshots(stage.daemon.localnet?.control)
  await eventually(async () => (await stage.report('/status')).mirror.level === 'off')
  const heard = await get('nobody', forBoth)
  expect(heard.headers).not.toHaveProperty('x-bft-set')
  expect(heard.headers['signature']).toMatch(/^r=:[^,]*:$/)
})

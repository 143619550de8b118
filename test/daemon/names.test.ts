import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { type Daemon, startDaemon } from '../../src/daemon.ts'
import type { Faults } from '../../src/localnet/faults.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { configOf, written } from '../config/config.ts'
import { eventually } from '../support/eventually.ts'

const name = 'alice.unverified.cns'
const config = configOf(written({ 'http.port': 0, 'operations.port': 0 }))

let daemon: Daemon
let alice: string
beforeAll(async () => {
  daemon = await startDaemon(config, { logger: silentLogger })
  alice = (await mintToken('alice', config)) as string
})
afterAll(() => daemon[Symbol.asyncDispose]())

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what tests are about
  readonly body: any
}

async function call(method: string, path: string, body?: object, token = alice): Promise<Answer> {
  const response = await fetch(`${daemon.http}${path}`, {
    method,
    headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const lookUp = () => call('GET', `/v0/scan-proxy/ans-entries/by-name/${name}`)

async function advance(duration: string): Promise<void> {
  const response = await fetch(`${daemon.localnet?.control}/time/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ duration }),
  })
  expect(response.status).toBe(200)
}

describe('on the embedded default, over HTTP', () => {
  test('a person registers a name, pays for it, and sees it in every lookup at once', async () => {
    expect((await lookUp()).status).toBe(404)
    const asked = await call('POST', '/v0/entry/create', { name, url: '', description: '' })
    expect(asked.status).toBe(200)
    const again = await call('POST', '/v0/entry/create', { name, url: '', description: '' })
    expect(again.body.subscriptionRequestCid).toBe(asked.body.subscriptionRequestCid)
    expect((await call('POST', '/v0/wallet/tap', { amount: '10.0' })).status).toBe(200)
    const accept = `/v0/wallet/subscription-requests/${asked.body.subscriptionRequestCid}/accept`
    expect((await call('POST', accept)).status).toBe(200)

    await eventually(async () => (await lookUp()).status === 200)
    const { entry } = (await lookUp()).body
    expect(entry).toMatchObject({ name, url: '', description: '' })
    const listed = await call('GET', '/api/scan/v0/ans-entries?page_size=10&name_prefix=alice')
    expect(listed.body.entries).toEqual([entry])
    const byParty = await call('GET', `/v0/ans-entries/by-party/${encodeURIComponent(entry.user)}`)
    expect(byParty.body.entry).toEqual(entry)
    expect((await call('GET', '/v0/entry/all')).body.entries).toMatchObject([{ name, unit: 'USDUNIT' }])
  })

  test('a lookup that is under way while time is moved is answered', async () => {
    const { localnet } = daemon
    if (localnet === undefined) throw new Error('no localnet')
    const names = localnet.superValidators.map((each) => each.name)
    const asks = () => names.reduce((sum, each) => sum + localnet.asks(each, 'by-name'), 0)
    const setAll = (fault: Faults | undefined) =>
      Promise.all(names.map((each) => localnet.setFault(each, fault)))
    await setAll({ kind: 'delay', ms: 60_000, only: ['by-name'] })
    const before = asks()
    const slow = call('GET', '/v0/scan-proxy/ans-entries/by-name/sv-3.sv.cns')
    await eventually(async () => asks() >= before + 2)
    await advance('1m')
    expect((await slow).status).toBe(200)
    await setAll(undefined)
  })

  test('nobody else gets the name', async () => {
    const bob = await mintToken('bob', config)
    const asked = await call('POST', '/v0/entry/create', { name, url: '', description: '' }, bob)
    expect(asked.status).toBe(409)
  })

  test('it is renewed when its renewal is due, as long as there is coin', async () => {
    const before = (await lookUp()).body.entry.expires_at
    // It answers when automation is done: nothing is waited for here.
    await advance('61d')
    const after = (await lookUp()).body.entry.expires_at
    expect(Date.parse(after)).toBeGreaterThan(Date.parse(before))
  })

  test('it expires when it is no longer renewed, and is free again', async () => {
    expect((await call('PUT', '/v0/wallet/auto-renewal', { enabled: false })).status).toBe(200)
    await advance('200d')
    expect((await lookUp()).status).toBe(404)
    expect((await call('GET', '/v0/entry/all')).body.entries).toEqual([])
    expect((await call('POST', '/v0/entry/create', { name, url: '', description: '' })).status).toBe(200)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advance } from '../support/caller.ts'
import { type Running, startEmbedded } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { moveBetweenSnapshots } from './between-snapshots.ts'
import { EventReader } from './event-reader.ts'

const path = '/mirror/changes'

let running: Running<undefined>

beforeAll(async () => {
  running = await startEmbedded({ 'mirror.level': 'stream', 'mirror.pollInterval': '100ms' })
  await moveBetweenSnapshots(running.daemon.localnet?.control)
  await eventually(async () => (await running.report('/status')).mirror.level === 'stream')
}, 30_000)

afterAll(() => running?.[Symbol.asyncDispose]())

async function register(label: string): Promise<string> {
  const name = `${label}.unverified.cns`
  await running.daemon.names?.register(label, { name, url: '', description: label })
  return name
}

function open(after?: string, headers: Record<string, string> = {}): Promise<EventReader> {
  return EventReader.open(running.daemon.http, after === undefined ? path : `${path}?after=${after}`, headers)
}

describe('GET /mirror/changes', () => {
  test('sends a name when it is registered, with the values of a lookup', async () => {
    using reader = await open()
    expect(reader.response.statusCode).toBe(200)
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    expect(await reader.next()).toMatchObject({ event: 'reached' })
    const name = await register('alice')
    const heard = await reader.nextChange()
    const { entry } = JSON.parse((await running.get(`/v0/ans-entries/by-name/${name}`)).text)
    expect(heard).toEqual({
      event: 'created',
      id: heard?.data.recordTime,
      data: {
        recordTime: expect.any(String),
        name,
        user: entry.user,
        url: '',
        description: 'alice',
        contractId: entry.contract_id,
        expiresAt: entry.expires_at,
      },
    })
  })

  test('goes on after the last event that a reader has, without loss and without repetition', async () => {
    const names = ['bob', 'carol', 'dave'].map((label) => `${label}.unverified.cns`)
    const heard: unknown[] = []
    using first = await open()
    let last = (await first.next())?.id ?? ''
    for (const label of ['bob', 'carol', 'dave']) {
      // No reader is connected while the name is registered.
      await register(label)
      using reader = await open(undefined, { 'last-event-id': last })
      const event = await reader.nextChange()
      heard.push(event?.data.name)
      last = event?.id ?? ''
    }
    expect(heard).toEqual(names)
    using again = await open((await first.nextChange())?.id)
    expect([await again.nextChange(), await again.nextChange()]).toMatchObject(
      ['carol', 'dave'].map((label) => ({ data: { description: label } })),
    )
  })

  test('prefers the id of the last event to the time in the address, as a browser that reconnects needs', async () => {
    using reader = await open()
    const start = (await reader.next())?.id ?? ''
    await register('erin')
    const erin = await reader.nextChange()
    await register('frank')
    using resumed = await open(start, { 'last-event-id': erin?.id ?? '' })
    expect((await resumed.nextChange())?.data.description).toBe('frank')
  })

  test('refuses a place that is none with 400, and one that is not kept with 410 and the earliest one', async () => {
    const malformed = await running.get(`${path}?after=yesterday`)
    expect(malformed.status).toBe(400)
    expect(malformed.headers['x-bft-error']).toBe('malformedQueryParameter')
    const header = await running.get(path, { headers: { 'last-event-id': 'yesterday' } })
    expect([header.status, header.headers['x-bft-error']]).toEqual([400, 'malformedHeader'])
    const early = await running.get(`${path}?after=2026-01-01T00:00:00Z`)
    expect([early.status, early.headers['x-bft-error']]).toEqual([410, 'changesNotKept'])
    expect(JSON.parse(early.text).error).toMatch(
      /^The feed has all changes after 2\S+59\.999999Z, but not all after 2026-01-01T00:00:00Z\.$/,
    )
  })

  test('answers HEAD and other methods without a stream', async () => {
    const head = await running.get(path, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const post = await running.get(path, { method: 'POST', body: '{}' })
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const options = await running.get(path, {
      method: 'OPTIONS',
      headers: { 'access-control-request-headers': 'last-event-id' },
    })
    expect(options.headers['access-control-allow-headers']).toBe('last-event-id')
  })

  test('ends when the ledger cannot be followed any more, and begins again when it can', async () => {
    using reader = await open()
    const start = (await reader.next())?.id ?? ''
    const nodes = running.daemon.localnet?.superValidators ?? []
    for (const { name } of nodes) await running.daemon.localnet?.setFault(name, { kind: 'reset' })
    await advance(running.daemon.localnet?.control ?? '', '2m')
    const interrupted = await reader.nextChange()
    expect(interrupted?.event).toBe('interrupted')
    expect(interrupted?.data.reason).toContain(' s behind the ledger, more than mirror.maxLag.')
    expect(await reader.next()).toBeUndefined()
    const refused = await running.get(path)
    expect([refused.status, refused.headers['x-bft-error']]).toEqual([503, 'changesPaused'])
    expect(refused.headers['retry-after']).toBe('10')
    for (const { name } of nodes) await running.daemon.localnet?.setFault(name, undefined)
    await register('grace')
    await eventually(async () => (await running.get(path, { method: 'HEAD' })).status === 200)
    using resumed = await open(start)
    expect((await resumed.nextChange())?.data.description).toBe('grace')
  })

  test('ends when the daemon stops, which does not wait for readers', async () => {
    using reader = await open()
    await reader.next()
    await running.daemon.stop('the test')
    expect(await reader.nextChange()).toMatchObject({
      event: 'interrupted',
      data: { reason: 'This daemon is stopping.' },
    })
    expect(await reader.next()).toBeUndefined()
  })
})

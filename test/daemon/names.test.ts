import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Daemon } from '../../src/daemon.ts'
import type { Faults } from '../../src/localnet/faults.ts'
import { advance, Caller } from '../support/caller.ts'
import { startEmbedded } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { untilNextSnapshot } from '../support/next-snapshot.ts'

const name = 'alice.unverified.cns'

let daemon: Daemon
let alice: Caller
beforeAll(async () => {
  daemon = (await startEmbedded()).daemon
  alice = await Caller.of('alice')
})
afterAll(() => daemon[Symbol.asyncDispose]())

interface Coin {
  readonly create_arguments: { readonly amount: { readonly initialAmount: string } }
}

interface Update {
  readonly update_id: string
  readonly record_time: string
  readonly synchronizer_id: string
  readonly root_event_ids: readonly string[]
  readonly events_by_id: Readonly<
    Record<
      string,
      {
        readonly event_id: string
        readonly contract_id: string
        readonly child_event_ids?: readonly string[]
      }
    >
  >
}

const call = (method: string, path: string, body?: object) =>
  alice.call(daemon.http, `${method} ${path}`, body)

const lookUp = () => call('GET', `/v0/scan-proxy/ans-entries/by-name/${name}`)

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

  test('its transaction is in the history that all super validators agree on, by page, by id and as an event', async () => {
    const { entry } = (await lookUp()).body
    const everything = async (path: string, list: string) => {
      const found: Update[] = []
      for (;;) {
        const last = found.at(-1)
        const after = last && { after_migration_id: 0, after_record_time: last.record_time }
        const { status, body } = await call('POST', path, { page_size: 5, ...(after && { after }) })
        expect(status).toBe(200)
        const page = body[list].map((item: Update & { update?: Update }) => item.update ?? item)
        if (page.length === 0) return found
        found.push(...page)
      }
    }
    const updates = await everything('/api/scan/v2/updates', 'transactions')
    expect(updates.length).toBeGreaterThan(5)
    const its = updates.find(({ events_by_id: events }) =>
      Object.values(events).some(({ contract_id: id }) => id === entry.contract_id),
    )
    const events = Object.values(its?.events_by_id ?? {})
    expect(events.find(({ contract_id: id }) => id === entry.contract_id)).toMatchObject({
      event_type: 'created_event',
      package_name: 'splice-amulet-name-service',
      template_id: expect.stringMatching(/^[0-9a-f]{64}:Splice\.Ans:AnsEntry$/),
      create_arguments: { user: entry.user, name },
    })
    expect(events.map(({ event_id: id }) => id)).toEqual(Object.keys(its?.events_by_id ?? {}))
    const below = events.flatMap(({ child_event_ids: ids = [] }) => ids)
    expect([...(its?.root_event_ids ?? []), ...below].toSorted()).toEqual(
      Object.keys(its?.events_by_id ?? {}).toSorted(),
    )
    expect((await call('GET', `/api/scan/v2/updates/${its?.update_id}`)).body).toEqual(its)
    const v1 = (await call('GET', `/api/scan/v1/updates/${its?.update_id}`)).body
    expect(v1).toEqual({ ...its, offset: '000000000000000001' })
    expect((await call('GET', `/api/scan/v0/events/${its?.update_id}`)).body.update).toEqual(its)
    expect(await everything('/api/scan/v0/events', 'events')).toEqual(updates)
    const before = { migration_id: 0, synchronizer_id: its?.synchronizer_id, before: its?.record_time }
    const earlier = await call('POST', '/api/scan/v0/backfilling/updates-before', { ...before, count: 3 })
    const at = updates.findIndex(({ update_id: id }) => id === its?.update_id)
    expect(earlier.body.transactions.map(({ update_id: id }: Update) => id)).toEqual(
      updates
        .slice(at - 3, at)
        .reverse()
        .map(({ update_id: id }) => id),
    )
    expect((await call('GET', `/api/scan/v2/updates/hash/${'ab'.repeat(32)}`)).status).toBe(404)
  })

  test('its contract and the coins of its owner are in the next snapshot', async () => {
    const { entry } = (await lookUp()).body
    const { body: taken } = await call('POST', '/v0/wallet/tap', { amount: '2.0' })
    await untilNextSnapshot(daemon.localnet?.control)
    const latest = '/api/scan/v0/state/acs/snapshot-timestamp?before=2100-01-01T00:00:00Z&migration_id=0'
    const { status, body: at } = await call('GET', latest)
    expect(status).toBe(200)
    const snapshot = { migration_id: 0, record_time: at.record_time }
    const page = async (path: string, more: object) => {
      const found = await call('POST', path, { ...snapshot, page_size: 100, ...more })
      expect(found.status).toBe(200)
      return found.body.created_events
    }
    const [name] = await page('/api/scan/v1/state/acs', {
      party_ids: [entry.user],
      templates: ['splice-amulet-name-service:Splice.Ans:AnsEntry'],
    })
    expect(name).toMatchObject({
      contract_id: entry.contract_id,
      create_arguments: { name: entry.name, user: entry.user },
    })
    const { body: update } = await call('GET', `/api/scan/v2/updates/${name.created_in_update_id}`)
    expect(JSON.stringify(update.events_by_id)).toContain(entry.contract_id)
    const coins = await page('/api/scan/v1/holdings/state', { owner_party_ids: [entry.user] })
    expect(coins.map((coin: { contract_id: string }) => coin.contract_id)).toContain(taken.contract_id)
    const owners = { ...snapshot, owner_party_ids: [entry.user] }
    const { body: summary } = await call('POST', '/v1/scan-proxy/holdings/summary', owners)
    const amounts = coins.map(({ create_arguments: { amount } }: Coin) => Number(amount.initialAmount))
    const total = amounts.reduce((sum: number, amount: number) => sum + amount, 0)
    expect(Number(summary.summaries[0].total_unlocked_coin)).toBeCloseTo(total, 6)
    expect(summary.summaries[0]).toMatchObject({ party_id: entry.user, total_locked_coin: '0.0000000000' })
    const none = '/api/scan/v0/state/acs/snapshot-timestamp?before=2000-01-01T00:00:00Z&migration_id=0'
    expect((await call('GET', none)).status).toBe(404)
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
    await advance(localnet.control, '1m')
    expect((await slow).status).toBe(200)
    await setAll(undefined)
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Micros } from '../../src/localnet/world/contract.ts'
import { timeOf } from '../../src/registry/ledger/daml/time.ts'
import { type Drained, drain, snapshotAt } from './drain.ts'
import { type FaultyLocalnet, startFaultyLocalnet } from './faults/faulty-localnet.ts'

const hour = 3_600_000_000
const alice = 'alice.unverified.cns'

let net: FaultyLocalnet
let at: Micros
let truth: Drained
beforeAll(async () => {
  net = await startFaultyLocalnet()
  at = net.localnet.world.snapshotTimes[2] ?? 0
  truth = await drain(net.healthy, at)
})
afterEach(() => net.heal())
afterAll(() => net[Symbol.asyncDispose]())

type How = NonNullable<Extract<Parameters<FaultyLocalnet['set']>[0], { readonly kind: 'snapshot' }>['how']>

async function faulty(how: How, more: object = {}): Promise<Drained> {
  await net.set({ kind: 'snapshot', how, ...more })
  return drain(net.faulty, at)
}

const named = ({ contracts }: Drained, name: string) =>
  contracts.find(({ create_arguments: entry }) => entry.name === name)

describe('a super validator whose snapshots are', () => {
  test('late has none of an instant until so long after it', async () => {
    const { clock, set } = net
    const next = Math.floor(clock.wall() / 10_800_000 + 1) * 10_800_000
    await set({ kind: 'snapshot', how: 'late', by: 600_000 })
    clock.advance(next + 599_999 - clock.wall())
    expect((await snapshotAt(net.faulty, next * 1_000)).status).toBe(404)
    expect((await snapshotAt(net.healthy, next * 1_000)).status).toBe(200)
    clock.advance(1)
    expect((await snapshotAt(net.faulty, next * 1_000)).status).toBe(200)
  })

  test('missing says that it has none', async () => {
    await net.set({ kind: 'snapshot', how: 'missing' })
    const error = `Failed to find ACS snapshot for migration id 0 at ${timeOf(at)}`
    expect(await snapshotAt(net.faulty, at)).toEqual({ status: 404, json: { error } })
  })

  test('altered has another value in one field of one contract, the same as its accomplices', async () => {
    const lied = await faulty('altered', { name: alice })
    expect(lied.ids).toEqual(truth.ids)
    expect(named(lied, alice).create_arguments.user).toMatch(/^mallory::1220/)
    const others = ({ contracts }: Drained) =>
      contracts.filter(({ create_arguments: entry }) => entry.name !== alice)
    expect(others(lied)).toEqual(others(truth))
    await net.localnet.setFault('sv-2', { kind: 'snapshot', name: alice })
    expect((await drain(net.second, at)).contracts).toEqual(lied.contracts)
    await net.localnet.setFault('sv-2', { kind: 'snapshot', name: alice, alone: true })
    expect((await drain(net.second, at)).contracts).not.toEqual(lied.contracts)
    const later = await faulty('altered', { name: alice, field: 'expiresAt' })
    const end = ({ create_arguments: entry }: { create_arguments: { expiresAt: string } }) =>
      Date.parse(entry.expiresAt)
    expect(end(named(later, alice))).toBe(end(named(truth, alice)) + 365 * 86_400_000)
    expect(
      named(await faulty('altered', { name: alice, field: 'url' }), alice).create_arguments.url,
    ).not.toBe(named(truth, alice).create_arguments.url)
  })

  test('reordered has all contracts, in other pages', async () => {
    const honest = await faulty('reordered')
    expect(honest.contracts).toEqual(truth.contracts)
    const firstPage = ({ rows }: Drained) => new Set(rows.slice(0, 10).map(({ contract_id: id }) => id))
    expect(firstPage(honest)).not.toEqual(firstPage(truth))
  })

  test('dropped lacks one name', async () => {
    const short = await faulty('dropped', { name: alice })
    expect(named(short, alice)).toBeUndefined()
    expect(short.contracts).toEqual(truth.contracts.filter((each) => each !== named(truth, alice)))
  })

  test('added has one name more', async () => {
    const name = 'mallory.unverified.cns'
    const long = await faulty('added', { name })
    const forged = named(long, name)
    expect(forged).toMatchObject({
      package_name: 'splice-amulet-name-service',
      create_arguments: { name, user: expect.stringMatching(/^mallory::1220/) },
    })
    expect(Object.keys(forged.create_arguments)).toEqual(Object.keys(named(truth, alice).create_arguments))
    expect(long.contracts.filter((each) => each !== forged)).toEqual(truth.contracts)
  })

  test('half end before the end', async () => {
    const half = await faulty('half')
    expect(half.ids.length).toBeLessThan(truth.ids.length)
    for (const contract of half.contracts) expect(truth.contracts).toContainEqual(contract)
  })

  test('repeated come with their first page twice', async () => {
    const { rows, pages } = await faulty('repeated')
    expect(pages).toBe(truth.pages + 1)
    expect(rows.slice(10)).toEqual(truthOf(rows))
  })

  /** Checks that the first page comes twice. Returns all rows but its first copy: they must be the whole snapshot. */
  function truthOf(rows: Drained['rows']): Drained['rows'] {
    expect(rows.slice(0, 10)).toEqual(rows.slice(10, 20))
    expect(new Set(rows.slice(10).map(({ contract_id: id }) => id))).toEqual(new Set(truth.ids))
    return rows.slice(10)
  }

  test('endless have empty pages after the last one', async () => {
    const { pages, contracts, tokens } = await faulty('endless')
    expect(pages).toBe(100)
    expect(contracts).toEqual(truth.contracts)
    expect(new Set(tokens).size).toBe(100)
  })

  test('a flood have pages of forged names after the last one', async () => {
    const { pages, ids } = await faulty('flood')
    expect(pages).toBe(100)
    expect(new Set(ids).size).toBe(truth.ids.length + (100 - truth.pages) * 10)
  })

  test('of another instant say so, and stale ones do not', async () => {
    const before = at - 3 * hour
    const contracts = (await drain(net.healthy, before)).contracts
    expect((await faulty('another-instant')).contracts).toEqual(contracts)
    expect((await snapshotAt(net.faulty, at)).json.record_time).toBe(timeOf(before))
    expect((await faulty('stale')).contracts).toEqual(contracts)
    expect((await snapshotAt(net.faulty, at)).json.record_time).toBe(timeOf(at))
  })

  test("another DSO's are so in every contract", async () => {
    const others = await faulty('another-dso')
    expect(others.ids).toEqual(truth.ids)
    expect(JSON.stringify(others.contracts)).not.toContain(net.localnet.world.dsoParty)
  })
})

import { expect } from 'vitest'
import type { viewFaults } from '../../../src/localnet/faults/views.ts'
import { isoTime } from '../../../src/localnet/world/contract.ts'
import { ask, askJson, byName, byParty, list } from '../ask.ts'
import { alice, type FaultCases, post, rules, scans } from './faulty-localnet.ts'

export const viewCases: FaultCases<(typeof viewFaults)[number]> = {
  async lag({ clock, localnet, faulty, healthy, set }) {
    await set({ kind: 'lag', by: 3000 })
    const renewed = localnet.world.renew('bob.unverified.cns', clock.wall() + 10_000_000_000)
    const bob = byName('bob.unverified.cns')
    expect((await askJson(healthy, bob)).entry).toEqual(renewed)
    expect((await askJson(faulty, bob)).entry.contract_id).not.toBe(renewed.contract_id)
    clock.advance(3000)
    expect((await askJson(faulty, bob)).entry).toEqual(renewed)
  },

  async skew({ clock, localnet, faulty, set, honest }) {
    const name = 'brief.unverified.cns'
    localnet.world.put({ name, user: 'x::1220', expiresAt: clock.wall() + 60_000 })
    await set({ kind: 'skew', by: 60_001 })
    expect((await ask(faulty, byName(name))).status).toBe(404)
    expect((await honest(byName(name))).status).toBe(200)
    clock.advance(60_001)
    await set({ kind: 'skew', by: -60_000 })
    expect((await ask(faulty, byName(name))).status).toBe(200)
    expect((await honest(byName(name))).status).toBe(404)
  },

  async late({ clock, localnet, faulty, healthy, set }) {
    const { updates } = localnet.world.annals
    await set({ kind: 'late', by: clock.wall() - (updates.at(-30)?.at ?? 0) / 1_000 })
    const [first, last] = [0, -1].map((at) => updates.at(at)?.body)
    const page = { method: 'POST', body: JSON.stringify({ page_size: 1000 }) }
    const info = { method: 'POST', body: JSON.stringify({ migration_id: 0 }) }
    const byId = (update: typeof first) => `/api/scan/v2/updates/${update?.['update_id']}`
    const ofMigration = '/api/scan/v0/backfilling/migration-info'
    expect((await ask(faulty, '/api/scan/v2/updates', page)).status).toBe(503)
    expect((await ask(faulty, byId(first))).status).toBe(404)
    expect((await ask(faulty, byId(last))).status).toBe(200)
    expect(await askJson(faulty, '/api/scan/v0/backfilling/status')).toEqual({ complete: false })
    const [[own], [whole]] = [
      (await askJson(faulty, ofMigration, info)).record_time_range,
      (await askJson(healthy, ofMigration, info)).record_time_range,
    ]
    const [snapshot = 0] = localnet.world.snapshotTimes
    expect(whole).toMatchObject({ min: isoTime(snapshot), max: last?.['record_time'] })
    expect(own.min > whole.min && own.max === whole.max).toBe(true)
  },

  async pruned({ clock, localnet, faulty, healthy, set }) {
    const { updates } = localnet.world.annals
    const middle = updates.at(-30)
    const keeps = clock.wall() - (middle?.at ?? 0) / 1_000
    await set({ kind: 'pruned', keeps })
    const pageAfter = (update: (typeof updates)[number] | undefined) => {
      const after = { after_migration_id: 0, after_record_time: update?.body['record_time'] }
      return { method: 'POST', body: JSON.stringify({ page_size: 1000, after }) }
    }
    const path = '/api/scan/v2/updates'
    const byId = (update: typeof middle) => `/api/scan/v2/updates/${update?.body['update_id']}`
    expect((await ask(faulty, path, { method: 'POST', body: '{"page_size":10}' })).status).toBe(404)
    expect((await ask(faulty, path, pageAfter(updates.at(0)))).status).toBe(404)
    expect((await ask(faulty, path, pageAfter(middle))).text).toBe(
      (await ask(healthy, path, pageAfter(middle))).text,
    )
    expect((await ask(faulty, byId(updates.at(0)))).status).toBe(404)
    expect((await ask(faulty, byId(middle))).status).toBe(200)
    expect(await askJson(faulty, '/api/scan/v0/backfilling/status')).toEqual({ complete: true })
    const info = { method: 'POST', body: '{"migration_id":0}' }
    const said = await askJson(faulty, '/api/scan/v0/backfilling/migration-info', info)
    expect(said).toMatchObject({ complete: true, record_time_range: [{ min: middle?.body['record_time'] }] })
    await set({ kind: 'pruned', keeps, says: 'unavailable' })
    expect((await ask(faulty, path, pageAfter(updates.at(0)))).status).toBe(503)
  },

  async deny({ localnet, faulty, expectStatus }) {
    await expectStatus({ kind: 'deny' }, 404, '{"error":"No ans entry found for name: alice.unverified.cns"}')
    expect((await ask(faulty, byName('dso.cns'))).status).toBe(404)
    expect((await ask(faulty, byParty(localnet.world.dsoParty))).status).toBe(404)
    expect((await askJson(faulty, list())).entries).toEqual([])
  },

  async uninitialised({ faulty, expectStatus }) {
    const text = '{\n  "error" : "No DsoRules contract found"\n}'
    await expectStatus({ kind: 'uninitialised' }, 404, text)
    expect((await ask(faulty, byParty('x::1220'))).text).toBe(text)
    expect((await ask(faulty, scans)).text).toBe(text)
    expect((await ask(faulty, rules, post)).status).toBe(500)
    expect((await askJson(faulty, list())).entries).toEqual([])
    expect((await ask(faulty, '/api/scan/readyz')).status).toBe(503)
    expect(await askJson(faulty, '/api/scan/status')).toEqual({ not_initialized: { active: false } })
  },

  async 'other-entry'({ localnet, faulty, healthy, set }) {
    await set({ kind: 'other-entry' })
    const { entry } = await askJson(faulty, alice)
    expect(entry.name).not.toBe('alice.unverified.cns')
    expect(entry).toEqual((await askJson(healthy, byName(entry.name))).entry)
    expect((await askJson(faulty, byName('nobody'))).entry.name).not.toBe('nobody')
    const { party } = localnet.superValidators[3] ?? { party: '' }
    expect((await askJson(faulty, byParty(party))).entry.user).not.toBe(party)
  },

  async 'ignore-query'({ faulty, healthy, set }) {
    await set({ kind: 'ignore-query' })
    expect(await askJson(faulty, list('alice', 1))).toEqual(await askJson(healthy, list()))
  },

  async 'repeat-item'({ faulty, healthy, set }) {
    await set({ kind: 'repeat-item' })
    const { entries } = await askJson(faulty, list('alice'))
    expect(entries[0]).toEqual(entries[1])
    expect(entries.slice(1)).toEqual((await askJson(healthy, list('alice'))).entries)
  },

  async lie({ localnet, faulty, second, healthy, set }) {
    await set({ kind: 'lie' })
    await localnet.setFault('sv-2', { kind: 'lie' })
    const asked: readonly (readonly [path: string, options?: typeof post])[] = [
      [alice],
      [byName('nobody.unverified.cns')],
      [byName('dso.cns')],
      [byParty(localnet.truth.entryByName('alice.unverified.cns')?.user ?? '')],
      [byParty('nobody::1220')],
      [list()],
      [list('kite', 2)],
      [list('nobody', 10)],
      [rules, post],
      ['/api/scan/v0/amulet-rules', post],
      ['/api/scan/v0/dso-party-id'],
      [scans],
      ['/api/scan/v0/splice-instance-names'],
    ]
    for (const [path, options] of asked) {
      const [one, other, truth] = await Promise.all(
        [faulty, second, healthy].map((url) => ask(url, path, options)),
      )
      expect([one?.status, one?.text]).toEqual([200, other?.text])
      expect(one?.text).not.toBe(truth?.text)
    }
    await localnet.setFault('sv-2', { kind: 'lie', alone: true })
    expect((await ask(second, alice)).text).not.toBe((await ask(faulty, alice)).text)
    expect((await ask(second, alice)).text).toBe((await ask(second, alice)).text)
  },

  async equivocate({ faulty, set, honest }) {
    await set({ kind: 'equivocate' })
    const told = [await ask(faulty, alice), await ask(faulty, alice), await ask(faulty, alice)]
    expect(new Set([...told, await honest(alice)].map(({ text }) => text)).size).toBe(4)
  },
}

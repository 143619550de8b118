import { expect } from 'vitest'
import type { bodyFaults } from '../../../src/localnet/faults/bodies.ts'
import { ask, askJson, list } from '../ask.ts'
import { alice, type FaultCases, post, rules } from './faulty-localnet.ts'

export const bodyCases: FaultCases<(typeof bodyFaults)[number]> = {
  async garble({ faulty, set }) {
    for (const as of ['noise', 'half'] as const) {
      await set({ kind: 'garble', as })
      const heard = await ask(faulty, alice)
      expect(heard.headers['content-type']).toBe('application/json')
      expect(heard.whole).toBe(true)
      expect(() => JSON.parse(heard.text)).toThrow(SyntaxError)
    }
    await set({ kind: 'garble', as: 'utf-8' })
    const heard = await ask(faulty, alice)
    expect(() => JSON.parse(heard.text)).not.toThrow()
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(heard.body)).toThrow(TypeError)
  },

  async misshapen({ faulty, healthy, set }) {
    await set({ kind: 'misshapen' })
    expect(await askJson(faulty, alice)).toEqual({ result: await askJson(healthy, alice) })
  },

  async 'round-number'({ localnet, faulty, second, set }) {
    await set({ kind: 'round-number' })
    await localnet.setFault('sv-2', { kind: 'round-number' })
    const path = '/api/scan/v0/dso'
    for (const [from, options] of [[alice], [rules, post], [path]] as const) {
      const [one, other] = await Promise.all([ask(faulty, from, options), ask(second, from, options)])
      expect(one.text).toContain('900719925474099')
      expect(one.text).not.toBe(other.text)
      const parsed = [one, other].map(({ text }) => ({ ...JSON.parse(text), sv_user: '', sv_party_id: '' }))
      expect(parsed[0]).toEqual(parsed[1])
    }
    expect((await ask(faulty, path)).text).toContain('"voting_threshold":3.000000000000000001,')
  },

  async 'new-field'({ localnet, faulty, healthy, set }) {
    await set({ kind: 'new-field' })
    const { entry, indexed_by } = await askJson(faulty, alice)
    const { indexed_by: inner, ...known } = entry
    expect([indexed_by, inner]).toEqual(['sv-1/0.8.0', 'sv-1/0.8.0'])
    expect({ entry: known }).toEqual(await askJson(healthy, alice))
    const update = (await askJson(faulty, rules, post)).ans_rules_update
    expect(update.contract.indexed_by).toBe('sv-1/0.8.0')
    expect(update.contract.payload).toEqual(localnet.world.ansRules.contract.payload)
  },

  async 'new-kinds'({ faulty, healthy, set }) {
    const page = (url: string) =>
      askJson(url, '/api/scan/v2/updates', { method: 'POST', body: '{"page_size":3}' })
    const { transactions: known } = await page(healthy)
    await set({ kind: 'new-kinds' })
    const { transactions: newer } = await page(faulty)
    const { update_id, migration_id, record_time } = known[2]
    expect(newer[2]).toEqual({ update_id, migration_id, record_time, topology: { events: ['new'] } })
    expect(Object.values(newer[0].events_by_id)).toHaveLength(Object.values(known[0].events_by_id).length + 1)
  },

  async reorder({ faulty, healthy, set, honest, expectHonestValue }) {
    await set({ kind: 'reorder' })
    expect(await expectHonestValue(alice)).not.toBe((await honest(alice)).text)
    const [mine, others] = await Promise.all([askJson(faulty, list()), askJson(healthy, list())])
    expect(mine.entries).not.toEqual(others.entries)
    expect(
      new Set(mine.entries.map((entry: object) => JSON.stringify(Object.entries(entry).sort()))),
    ).toEqual(new Set(others.entries.map((entry: object) => JSON.stringify(Object.entries(entry).sort()))))
    const [dso, truth] = await Promise.all([
      ask(faulty, '/api/scan/v0/dso'),
      askJson(healthy, '/api/scan/v0/dso'),
    ])
    expect(JSON.parse(dso.text).sv_node_states).toEqual(expect.arrayContaining(truth.sv_node_states))
    expect((await ask(faulty, '/api/scan/v0/dso')).text).toBe(dso.text)
  },

  async 'own-ids'({ localnet, faulty, healthy, set }) {
    const at = localnet.world.snapshotTimes.at(-2) ?? 0
    const body = JSON.stringify({
      migration_id: 0,
      record_time: new Date(at / 1000).toISOString(),
      page_size: 20,
    })
    const page = (url: string) => askJson(url, '/api/scan/v2/state/acs', { method: 'POST', body })
    const created = { created_events: expect.any(Array) }
    const idsIn = ({ created_events: events }: Record<string, { created_in_update_id: string }[]>) =>
      events?.map(({ created_in_update_id: id }) => id) ?? []
    await set({ kind: 'own-ids', share: 0.5 })
    const [own, others] = await Promise.all([page(faulty), page(healthy)])
    expect([own, others]).toMatchObject([created, created])
    const shared = idsIn(own).filter((id) => idsIn(others).includes(id))
    expect(shared.length).toBeGreaterThan(0)
    expect(shared.length).toBeLessThan(idsIn(own).length)
    await set({ kind: 'own-ids' })
    expect(idsIn(await page(faulty)).some((id) => idsIn(others).includes(id))).toBe(false)
  },

  async retell({ faulty, healthy, set }) {
    const honest = (await askJson(healthy, rules, post)).ans_rules_update
    await set({ kind: 'retell' })
    const told = (await askJson(faulty, rules, post)).ans_rules_update
    expect(told.contract.contract_id).toBe(honest.contract.contract_id)
    expect(told.contract.payload).toEqual({ ...honest.contract.payload, toldBy: 'sv-1' })
  },
}

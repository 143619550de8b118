import { expect } from 'vitest'
import type { viewFaults } from '../../../src/localnet/faults/views.ts'
import { ask, askJson, byName, byParty, list } from '../ask.ts'
import { alice, type FaultCases, post, rules, scans } from './faulty-localnet.ts'

export const viewCases: FaultCases<(typeof viewFaults)[number]> = {
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

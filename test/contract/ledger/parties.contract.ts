import { describe, expect, test } from 'vitest'
import { everything, type OpenLedger } from './under-test.ts'

export function partiesContract(open: OpenLedger): void {
  describe('parties', () => {
    test('are allocated once a user, as updates of their own', async () => {
      await using under = await open()
      const { ledger, clock } = under
      const alice = await ledger.partyOf('alice@example', 'alice')
      expect(alice).toMatch(/^alice::1220[0-9a-f]{64}$/)
      expect(await ledger.partyOf('alice@example', 'another-hint')).toBe(alice)
      expect(await ledger.findParty('alice@example')).toBe(alice)
      expect(await ledger.updates(0, everything, 10)).toEqual([
        {
          kind: 'party',
          offset: 1,
          updateId: expect.stringMatching(/^1220[0-9a-f]{64}$/),
          recordTime: clock.wall() * 1000,
          synchronizerId: expect.stringMatching(/^[a-z-]+::1220[0-9a-f]{64}$/),
          party: alice,
          userId: 'alice@example',
          participantId: expect.stringMatching(/^participant::1220[0-9a-f]{64}$/),
        },
      ])
    })

    test('are hosted once they are allocated, and no others are', async () => {
      await using under = await open()
      const { ledger } = under
      const alice = await ledger.partyOf('alice', 'alice')
      expect(await ledger.hosts(alice)).toBe(true)
      expect(await ledger.hosts(alice.replace('alice', 'bob'))).toBe(false)
      expect(await ledger.hosts('alice')).toBe(false)
    })

    test('are all hosted by the participant whose namespace they are of', async () => {
      await using under = await open()
      const alice = await under.ledger.partyOf('alice', 'alice')
      await under.ledger.partyOf('bob', 'bob')
      const updates = await under.ledger.updates(0, everything, 10)
      const hosts = updates.map((update) => update.kind === 'party' && update.participantId)
      expect(hosts).toEqual(Array(2).fill(alice.replace('alice', 'participant')))
    })

    test('of two users with one hint are two, also when they are asked for at once', async () => {
      await using under = await open()
      const users = ['one', 'two', 'three', 'two', 'one']
      const parties = await Promise.all(users.map((user) => under.ledger.partyOf(user, 'same')))
      expect(new Set(parties).size).toBe(3)
      expect([parties[3], parties[4]]).toEqual([parties[1], parties[0]])
      expect(await under.ledger.end()).toBe(3)
    })

    test('have identifiers that Canton takes, whatever the hint', async () => {
      await using under = await open()
      for (const [index, hint] of ['', '::', 'a::b', ':', 'ü@x', 'y'.repeat(500), 'a:'].entries()) {
        const party = await under.ledger.partyOf(`user-${index}`, hint)
        const [identifier = '', namespace] = [
          party.slice(0, party.indexOf('::')),
          party.slice(party.indexOf('::') + 2),
        ]
        expect(identifier).toMatch(/^[a-zA-Z0-9:\-_ ]{1,185}$/)
        expect(namespace).toMatch(/^1220[0-9a-f]{64}$/)
      }
    })
  })
}

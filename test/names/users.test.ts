import { describe, expect, test } from 'vitest'
import type { Party } from '../../src/registry/ledger/value.ts'
import { Users } from '../../src/registry/names/users.ts'

function open() {
  const asked: [string, string][] = []
  const ledger = {
    async partyOf(userId: string, hint: string): Promise<Party> {
      asked.push([userId, hint])
      return `${hint}::1220`
    },
    findParty: async (userId: string): Promise<Party | undefined> =>
      userId === 'alice' ? `${userId}::1220` : undefined,
  }
  return { users: new Users(ledger), asked }
}

describe('users', () => {
  test('get a party with a hint that a party id can have', async () => {
    const { users, asked } = open()
    expect(await users.get('alice')).toEqual({ userId: 'alice', party: 'alice::1220' })
    await users.get('auth0|alice@example.com')
    await users.get('x'.repeat(128))
    expect(asked).toEqual([
      ['alice', 'alice'],
      ['auth0|alice@example.com', 'auth0_alice_example_com'],
      ['x'.repeat(128), 'x'.repeat(64)],
    ])
  })

  test('are found if they have a party', async () => {
    const { users, asked } = open()
    expect(await users.findParty('alice')).toBe('alice::1220')
    expect(await users.findParty('bob')).toBeUndefined()
    expect(asked).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { mostTries } from '../../../src/ledger/participant/participant.ts'
import { openReads } from './open.ts'

const path = '/v2/state/ledger-end'

test("a token that the participant refuses opens nothing, and the caller gets the participant's words", async () => {
  await using opened = await openReads()
  for (let round = 1; round <= 2; round++) {
    await expect(opened.updates.open('token-of-nobody')).rejects.toMatchObject({
      kind: 'relayed',
      status: 401,
    })
    expect(opened.fake.requests.filter(({ token }) => token === 'token-of-nobody')).toHaveLength(round)
  }
})

test('a token that the participant took is not asked about again for 30 seconds', async () => {
  await using opened = await openReads()
  for (let count = 0; count < 5; count++) await opened.updates.open('token-of-alice')
  expect(opened.fake.asked(path)).toBe(1)
  opened.fake.forget('token-of-alice')
  await opened.updates.open('token-of-alice')
  opened.clock.advance(30_000)
  await expect(opened.updates.open('token-of-alice')).rejects.toMatchObject({ kind: 'relayed', status: 401 })
})

test('a participant that is broken for a while refuses no token for good', async () => {
  await using opened = await openReads()
  opened.clock.advance(30_000)
  opened.fake.fail(path, { kind: 'text', text: 'nonsense' }, mostTries)
  await expect(opened.updates.open('token-of-alice')).rejects.toMatchObject({ status: 503 })
  await opened.updates.open('token-of-alice')
})

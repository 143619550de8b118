import { expect, test } from 'vitest'
import { VerifierOnDemand } from '../../src/server/auth/verifier.ts'

const user = { kind: 'user', user: 'alice' } as const

test('a verifier that could not be loaded for one token is loaded for the next one', async () => {
  let loads = 0
  const verifier = new VerifierOnDemand({}, async () => {
    loads++
    if (loads === 1) throw new Error('the package cannot be read')
    return {
      verify: async () => user as never,
      refreshKeys: async () => undefined,
    }
  })
  await expect(verifier.verify({} as never)).rejects.toThrow('the package cannot be read')
  expect(await verifier.reload({})).toBeUndefined()
  expect(await verifier.verify({} as never)).toBe(user)
  expect(loads).toBe(2)
})

import { expect, test } from 'vitest'
import { subjectOf } from '../../src/server/auth/verifier.jose.ts'

const canton = 'https://canton-network'

test.each([
  [{ sub: 'alice' }, 'alice'],
  [{ sub: 'auth0|alice', [canton]: { daml_user: 'alice' } }, 'alice'],
  [{ [canton]: { daml_user: 'alice' } }, 'alice'],
  [{ sub: 'alice', [canton]: {} }, 'alice'],
  [{ sub: 'alice', [canton]: 'bob' }, 'alice'],
  [{ sub: 'alice', [canton]: null }, 'alice'],
])('%j speaks for %s', (claims, user) => {
  expect(subjectOf(claims)).toBe(user)
})

test.each([
  [{}],
  [{ sub: '' }],
  [{ sub: 5 }],
  [{ sub: 'alice', [canton]: { daml_user: '' } }],
  [{ sub: 'alice', [canton]: { daml_user: ['bob'] } }],
  [{ sub: 'alice', [canton]: { daml_user: null } }],
])('%j is no subject', (claims) => {
  expect(subjectOf(claims)).toBeUndefined()
})

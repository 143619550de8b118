import { expect, test } from 'vitest'
import { fromServed } from '../../src/client/from-served.ts'
import { getDsoPartyId } from '../../src/reads/dso.ts'
import { answerOf } from '../cache/samples.ts'
import { ago, ManualClock } from '../support/manual-clock.ts'

const answer = answerOf(Buffer.from('{"dso_party_id":"DSO::1220ab"}'))

test('an answer of the mirror says at which time it was true, and what it claims', () => {
  const clock = new ManualClock()
  const served = { answer, agreedAt: ago(clock, 5_000) }
  const asOf = { at: 1_795_316_400_000, claim: 'state', basis: 'stream', generation: 3 } as const
  expect(fromServed(getDsoPartyId, { ...served, asOf }, clock)).toMatchObject({
    kind: 'value',
    asOf: { ...asOf, at: new Date(1_795_316_400_000) },
    agreedAt: new Date(clock.wall() - 5_000),
  })
  expect(fromServed(getDsoPartyId, served, clock)).not.toHaveProperty('asOf')
})

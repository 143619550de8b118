import { expect, test } from 'vitest'
import { AnsEntry, AnsEntry_Expire, AnsEntry_Renew } from '../../../../src/ledger/daml/splice/ans.ts'
import { exercise } from '../memory-ledger.ts'
import { alice, bob, dso, Network, refusal, unmet } from '../network.ts'
import { expiry, name } from './stages.ts'

test('only the owner and the DSO can expire an entry, after its expiry and not at it', () => {
  const network = new Network()
  network.register(alice, name)
  const { contractId } = network.ledger.only(AnsEntry)
  const expire = (actor: string) => {
    const before = network.ledger.list(AnsEntry)
    const outcome = network.ledger.submit(
      { actAs: [actor], readAs: [alice] },
      exercise(AnsEntry_Expire, contractId, { actor }),
    )
    for (const entry of before) network.ledger.active.set(entry.contractId, entry)
    return outcome.kind === 'refused' ? refusal(outcome) : 'expired'
  }
  network.ledger.now = expiry(network)
  for (const actor of [alice, dso]) expect(expire(actor)).toBe(unmet('Contract expired'))
  network.ledger.now += 1
  expect([alice, dso, bob].map(expire)).toEqual([
    'expired',
    'expired',
    unmet(`Actor '${bob}' is a signatory`),
  ])
})

test('an entry is renewed by owner and DSO together, and only forward', () => {
  const network = new Network()
  network.register(alice, name)
  const { contractId } = network.ledger.only(AnsEntry)
  const renew = (actAs: readonly string[], microseconds: string) =>
    refusal(
      network.ledger.submit({ actAs }, exercise(AnsEntry_Renew, contractId, { extension: { microseconds } })),
    )
  expect(renew([alice], '1')).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(renew([dso], '1')).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(renew([alice, dso], '0')).toBe(unmet('Extension positive'))
  expect(renew([alice, dso], '-1')).toBe(unmet('Extension positive'))
  expect(renew([alice, dso], '9223372036854775807')).toMatch(/^DAML_INTERPRETATION_ERROR: .*out of range/)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideExpiredEntries, decideExpiredSubscriptions } from '../../src/automation/expiry.ts'
import { AnsEntry, AnsEntry_Expire } from '../../src/ledger/daml/splice/ans.ts'
import { timeOf } from '../../src/ledger/daml/time.ts'
import { exercise } from '../../src/ledger/typed.ts'
import type { Party } from '../../src/ledger/value.ts'
import { contract, dso, epoch, idleState } from './contracts.ts'
import { openNetwork } from './network.ts'

test('only the owner and the DSO may expire an entry, and only after its expiry', async () => {
  await using net = await openNetwork()
  const [alice, mallory] = [await net.user('alice'), await net.user('mallory')]
  const byAlice = await net.register(alice, 'alice')
  const byDso = await net.register(alice, 'alice-2')
  let submitted = 0
  const expire = async (actAs: readonly Party[], actor: Party, entry = byAlice) => {
    const outcome = await net.ledger.submit({
      commandId: `expire-${submitted++}`,
      userId: 'test',
      actAs,
      readAs: [],
      workflowId: '',
      commands: [exercise(AnsEntry_Expire, entry.contractId, { actor })],
      disclosed: [{ contractId: entry.contractId, createdEventBlob: entry.contract.createdEventBlob }],
    })
    return outcome.kind === 'refused' ? [outcome.code, outcome.message] : outcome.kind
  }
  const tooEarly = ['INTERPRETATION_USER_ERROR', "The requirement 'Contract expired' was not met."]
  const strangers = async () => {
    expect(await expire([mallory.party], mallory.party)).toEqual([
      'INTERPRETATION_USER_ERROR',
      `The requirement 'Actor '${mallory.party}' is a signatory' was not met.`,
    ])
    for (const actor of [alice.party, net.dso]) {
      expect(await expire([mallory.party], actor)).toMatchObject([
        'DAML_AUTHORIZATION_ERROR',
        expect.anything(),
      ])
    }
  }

  for (const party of [alice.party, net.dso]) expect(await expire([party], party)).toEqual(tooEarly)
  await strangers()
  net.clock.advance(90 * 86_400_000 - 1)
  for (const party of [alice.party, net.dso]) expect(await expire([party], party)).toEqual(tooEarly)

  net.clock.advance(2)
  await strangers()
  expect(await expire([alice.party], alice.party)).toBe('committed')
  expect(await expire([net.dso], net.dso, byDso)).toBe('committed')
  expect(await net.ledger.entries({ user: alice.party, limit: 9 })).toEqual([])
})

describe('what has expired', () => {
  const entry = (expiresAt: number) =>
    contract(AnsEntry, {
      user: 'alice::1220',
      dso,
      name: 'alice.unverified.cns',
      url: '',
      description: '',
      expiresAt: timeOf(expiresAt),
    })

  test('is an entry after its last moment, and no other', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 })), (times) => {
        const entries = times.map((after) => entry(epoch + after))
        const submissions = decideExpiredEntries({ dso, entries }, epoch)
        const expired = entries.filter((_, at) => (times[at] ?? 0) < 0)
        expect(submissions.map(({ commandId }) => commandId)).toEqual(
          expired.map(({ contractId }) => `expire-entry:${contractId}`),
        )
      }),
    )
  })

  test('is a subscription to a name whose payment was missed', () => {
    const idle = [
      { state: idleState({ dueAt: epoch - 1 }), isToName: true },
      { state: idleState({ dueAt: epoch }), isToName: true },
      { state: idleState({ dueAt: epoch - 1 }), isToName: false },
    ]
    expect(decideExpiredSubscriptions({ dso, idle }, epoch)).toMatchObject([
      {
        commandId: `expire-subscription:${idle[0]?.state.contractId}`,
        actAs: [dso],
        commands: [{ choice: 'SubscriptionIdleState_ExpireSubscription', argument: { actor: dso } }],
      },
    ])
  })
})

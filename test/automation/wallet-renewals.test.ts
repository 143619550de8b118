import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideWalletRenewals, type Payable } from '../../src/automation/wallet-renewals.ts'
import type { Command, Submission } from '../../src/ledger/command.ts'
import type { Payment } from '../../src/ledger/daml/splice/subscription.ts'
import type { Transfer } from '../../src/ledger/daml/splice/transfer.ts'
import type { Coin } from '../../src/wallet/coins.ts'
import { coin, epoch, idleState, rulesWith } from './contracts.ts'

const day = 86_400_000_000
const alice = 'alice::1220'

type Exercise = Extract<Command, { kind: 'exercise' }>

/**
 * Returns the values of the coins that pay, if the payer has coins of the values in `amounts`. Undefined if nothing is
 * paid.
 */
function inputsOf(amounts: readonly string[], payable: Partial<Payable> = {}): readonly string[] | undefined {
  const coins = amounts.map((amount) => coin(alice, amount))
  const state = idleState({ dueAt: epoch + day, sender: alice })
  const [submission] = decideWalletRenewals(
    { rules: rulesWith(), payable: [{ state, isRenewing: true, coins, ...payable }] },
    epoch,
  )
  const command = submission?.commands[0]
  if (command?.kind !== 'exercise') return undefined
  const { inputs } = command.argument as Payment
  return inputs.map(({ value }) => amounts[coins.findIndex(({ contractId }) => contractId === value)] ?? '?')
}

describe('a wallet pays a renewal', () => {
  test.each<[string, number, boolean]>([
    ['30 days before it is due', 30 * day, false],
    ['a moment later', 30 * day - 1, true],
    ['a moment before it is due', 1, true],
    ['at the moment that it is due', 0, false],
    ['after', -1, false],
  ])('%s (%d µs ahead): %s', (_, ahead, isPaid) => {
    const state = idleState({ dueAt: epoch + ahead, sender: alice })
    expect(inputsOf(['200'], { state }) !== undefined).toBe(isPaid)
  })

  test('with the largest coins, and no more of them than are needed', () => {
    expect(inputsOf(['50', '120', '100', '1'])).toEqual(['120', '100'])
    expect(inputsOf(['200', '200'])).toEqual(['200'])
  })

  test('not without coin, not with too little in one payment, and not where the user pays alone', () => {
    expect(inputsOf([])).toBeUndefined()
    expect(inputsOf(['199.9999999999'])).toBeUndefined()
    expect(inputsOf(['500'], { isRenewing: false })).toBeUndefined()
  })
})

test('small coins of which one payment may not use enough are merged before: the hundred largest', () => {
  const amounts = Array.from({ length: 150 }, (_, index) => (1 + index / 100).toFixed(2))
  const coins = amounts.map((amount) => coin(alice, amount))
  const state = idleState({ dueAt: epoch + day, sender: alice })
  const decide = (coins: readonly Coin[]) =>
    decideWalletRenewals({ rules: rulesWith(), payable: [{ state, isRenewing: true, coins }] }, epoch)
  const [submission, ...others] = decide(coins)
  expect(others).toEqual([])
  expect(submission).toMatchObject({ actAs: [alice], commands: [{ choice: 'AmuletRules_Transfer' }] })
  const [command] = (submission as Submission).commands
  const { transfer } = (command as Exercise).argument as { transfer: Transfer }
  expect(transfer).toMatchObject({ sender: alice, provider: alice, outputs: [] })
  expect(transfer.inputs.map(({ value }) => value)).toEqual(
    coins
      .toReversed()
      .slice(0, 100)
      .map(({ contractId }) => contractId),
  )
  expect(decide(coins.slice(0, 100))).toEqual([])
})

test('a payer makes one payment at a time, of the payer’s own coin, and never of too little', () => {
  const payer = fc.record({
    sender: fc.constantFrom('alice::1220', 'bob::1220', 'carol::1220'),
    ahead: fc.integer({ min: -2, max: 40 }),
    amounts: fc.array(fc.nat(300), { maxLength: 4 }),
    isRenewing: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(payer, { maxLength: 8 }), (payers) => {
      const payable = payers.map(({ sender, ahead, amounts, isRenewing }) => ({
        state: idleState({ dueAt: epoch + ahead * day, sender }),
        isRenewing,
        coins: amounts.map((amount) => coin(sender, String(amount + 1))),
      }))
      const submissions = decideWalletRenewals({ rules: rulesWith(), payable }, epoch)
      expect(new Set(submissions.flatMap(({ actAs }) => actAs)).size).toBe(submissions.length)
      for (const { actAs, commands } of submissions) {
        const [command] = commands
        if (command?.kind !== 'exercise') throw new Error('a payment is an exercise')
        const payer = payable.find(({ state }) => state.contractId === command.contractId)
        const { inputs, walletProvider } = command.argument as Payment
        expect([walletProvider, payer?.state.argument.subscriptionData.sender]).toEqual([actAs[0], actAs[0]])
        const paid = inputs.map(({ value }) => payer?.coins.find(({ contractId }) => contractId === value))
        const worth = paid.map((each) => Number(each?.argument.amount.initialAmount))
        expect(worth.reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(200)
        expect(payer?.isRenewing).toBe(true)
      }
    }),
  )
})

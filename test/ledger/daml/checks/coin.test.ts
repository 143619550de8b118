import { expect, test } from 'vitest'
import { decimal } from '../../../../src/ledger/daml/decimal.ts'
import {
  Amulet,
  LockedAmulet,
  LockedAmulet_OwnerExpireLockV2,
  LockedAmulet_UnlockV2,
} from '../../../../src/ledger/daml/splice/amulet.ts'
import {
  AmuletRules,
  AmuletRules_DevNet_Tap,
  AmuletRules_Mint,
  AmuletRules_Transfer,
} from '../../../../src/ledger/daml/splice/amulet-rules.ts'
import { OpenMiningRound } from '../../../../src/ledger/daml/splice/round.ts'
import { timeOf } from '../../../../src/ledger/daml/time.ts'
import { create, exercise, tree } from '../memory-ledger.ts'
import { alice, bob, day, done, dso, minute, Network, refusal, unmet } from '../network.ts'
import { amounts, paid } from './stages.ts'

test('a lock is opened by owner and holders together, or by the owner after its time', () => {
  const network = paid()
  const { contractId } = network.ledger.only(LockedAmulet)
  const unlock = exercise(LockedAmulet_UnlockV2, contractId, {})
  const expire = exercise(LockedAmulet_OwnerExpireLockV2, contractId, {})
  for (const party of [alice, dso]) {
    expect(refusal(network.ledger.submit({ actAs: [party] }, unlock))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  }
  network.advance(20 * minute)
  expect(refusal(network.ledger.submit({ actAs: [dso] }, expire))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(tree(network.ledger.submit({ actAs: [alice] }, expire))).toEqual([
    'LockedAmulet_OwnerExpireLockV2',
    '  create Amulet',
  ])
})

test('coin is tapped on a network for development, in positive amounts up to 100,000,000', () => {
  const network = new Network()
  const tapped = network.tap(alice, '100000000')
  expect(tree(tapped)).toEqual(['AmuletRules_DevNet_Tap', '  AmuletRules_Mint', '    create Amulet'])
  const [coin] = network.coinsOf(alice)
  expect(done(tapped).nodes[0]).toMatchObject({
    result: { amuletSum: { amulet: coin?.contractId, amuletPrice: '0.0050000000', round: { number: '1' } } },
  })
  expect(refusal(network.tap(alice, '100000000.0000000001'))).toBe(unmet('Tapped amount <= 100,000,000'))
  for (const amount of ['0', '-1']) {
    expect(refusal(network.tap(alice, amount))).toBe(
      'TEMPLATE_PRECONDITION_VIOLATED: The precondition of Splice.Amulet:Amulet does not hold',
    )
  }
  const { argument } = network.ledger.only(AmuletRules)
  const mainNet = create(AmuletRules, { ...argument, isDevNet: false })
  done(network.ledger.submit({ actAs: [dso] }, mainNet))
  const { contractId } = network.ledger.list(AmuletRules).at(-1) as { contractId: string }
  const tap = { receiver: alice, amount: decimal('1'), openRound: network.round.contractId }
  const devNet = unmet('isDevNet flag is true')
  expect(
    refusal(network.ledger.submit(network.as(alice), exercise(AmuletRules_DevNet_Tap, contractId, tap))),
  ).toBe(devNet)
  const mint = exercise(AmuletRules_Mint, contractId, { ...tap, reason: null })
  expect(refusal(network.ledger.submit(network.as(alice, dso), mint))).toBe(devNet)
})

test('no party can mint or burn coin alone', () => {
  const network = new Network()
  done(network.tap(alice, '1'))
  const [coin] = network.coinsOf(alice)
  const archive = {
    kind: 'exercise',
    template: Amulet.name,
    contractId: coin?.contractId ?? '',
    choice: 'Archive',
    argument: {},
  } as const
  const mint = { receiver: alice, amount: decimal('1'), openRound: network.round.contractId, reason: null }
  for (const party of [alice, dso]) {
    for (const command of [archive, exercise(AmuletRules_Mint, network.amuletRules, mint)]) {
      expect(refusal(network.ledger.submit(network.as(party), command))).toMatch(
        /^DAML_AUTHORIZATION_ERROR: /,
      )
    }
  }
  expect(tree(network.ledger.submit({ actAs: [alice, dso] }, archive))).toEqual(['Archive Amulet'])
})

type Output = Parameters<typeof AmuletRules_Transfer.run>[2]['transfer']['outputs'][number]

function transferOf(network: Network, outputs: readonly Output[], expectedDso: string | null = dso) {
  const transfer = { sender: alice, provider: alice, inputs: network.inputsOf(alice), outputs }
  const { context } = network.paymentContext
  return exercise(AmuletRules_Transfer, network.amuletRules, { transfer, context, expectedDso })
}

function outputTo(receiver: string, amount: string, change: Partial<Output> = {}): Output {
  return { receiver, receiverFeeRatio: decimal('0'), amount: decimal(amount), lock: null, ...change }
}

test('a transfer hands coin to receivers that agree and gives the rest back', () => {
  const network = new Network()
  done(network.tap(alice, '10'))
  done(network.tap(alice, '5'))
  const transfer = transferOf(network, [outputTo(bob, '12'), outputTo(alice, '1')])
  expect(refusal(network.ledger.submit(network.as(alice), transfer))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  const [node] = done(network.ledger.submit(network.as(alice, bob), transfer)).nodes
  expect(amounts(network, bob)).toEqual(['12.0000000000'])
  expect(amounts(network, alice)).toEqual(['1.0000000000', '2.0000000000'])
  const [toBob] = network.coinsOf(bob)
  const [toAlice, change] = network.coinsOf(alice)
  expect(node).toMatchObject({
    result: {
      round: { number: '1' },
      createdAmulets: [
        { tag: 'TransferResultAmulet', value: toBob?.contractId },
        { tag: 'TransferResultAmulet', value: toAlice?.contractId },
      ],
      senderChangeAmulet: change?.contractId,
      summary: {
        inputAmuletAmount: '15.0000000000',
        outputFees: ['0.0000000000', '0.0000000000'],
        senderChangeAmount: '2.0000000000',
        amuletPrice: '0.0050000000',
      },
    },
  })
})

test('a transfer checks its inputs and outputs', () => {
  const network = new Network()
  done(network.tap(alice, '10'))
  const submit = (output: Output, expectedDso: string | null = dso) =>
    refusal(
      network.ledger.submit(network.as(alice, bob), transferOf(network, [output], expectedDso)),
    ).replace('INTERPRETATION_USER_ERROR: ', '')
  const lock = { holders: [bob], expiresAt: timeOf(network.ledger.now), optContext: null }
  expect(submit(outputTo(bob, '1'), null)).toMatch(/^Expected DSO party not set by caller/)
  expect(submit(outputTo(bob, '1', { receiverFeeRatio: decimal('1.1') }))).toMatch(
    /is not between 0.0 and 1.0$/,
  )
  expect(submit(outputTo(bob, '1', { receiverFeeRatio: decimal('-0.1') }))).toMatch(
    /is not between 0.0 and 1.0$/,
  )
  expect(submit(outputTo(bob, '0'))).toBe("The requirement 'Amount is positive' was not met.")
  expect(submit(outputTo(alice, '1', { lock }))).toBe(
    "Ledger time is past deadline 'lock.expiresAt' at 2026-01-01T00:00:00Z",
  )
})

test('a transfer takes no more inputs, outputs and lock holders than the round allows', () => {
  const network = new Network()
  const { argument } = network.round
  const transferConfigUsd = {
    ...argument.transferConfigUsd,
    maxNumInputs: '1',
    maxNumOutputs: '1',
    maxNumLockHolders: '1',
  }
  done(network.ledger.submit({ actAs: [dso] }, create(OpenMiningRound, { ...argument, transferConfigUsd })))
  done(network.tap(alice, '10'))
  const expiresAt = timeOf(network.ledger.now + day)
  const submit = (...outputs: readonly Output[]) =>
    refusal(network.ledger.submit(network.as(alice, bob, dso), transferOf(network, outputs)))
  const lock = (...holders: readonly string[]) => ({ lock: { holders, expiresAt, optContext: null } })
  expect(submit(outputTo(alice, '1', lock(bob, dso)))).toBe(
    unmet('Fewer than the allowed number of lock holders'),
  )
  expect(submit(outputTo(alice, '1'), outputTo(alice, '1'))).toMatch(
    /More than the maximum number of outputs$/,
  )
  done(
    network.ledger.submit(
      network.as(alice, bob),
      transferOf(network, [outputTo(alice, '1', lock(alice, bob, bob))]),
    ),
  )
  expect(network.ledger.only(LockedAmulet).argument.lock.holders).toEqual([bob])
  done(network.tap(alice, '10'))
  expect(submit(outputTo(alice, '1'))).toMatch(/More than the maximum number of inputs$/)
})

test('a rate of holding fees is kept on coin in coin, and charged by nothing', () => {
  const network = new Network()
  const { argument } = network.round
  const holdingFee = { rate: decimal('0.0000190259') }
  const transferConfigUsd = { ...argument.transferConfigUsd, holdingFee }
  done(network.ledger.submit({ actAs: [dso] }, create(OpenMiningRound, { ...argument, transferConfigUsd })))
  done(network.tap(alice, '10'))
  expect(network.coinsOf(alice)[0]?.argument.amount.ratePerRound.rate).toBe('0.0038051800')
  network.advance(365 * day)
  done(network.ledger.submit(network.as(alice), transferOf(network, [outputTo(alice, '10')])))
  expect(amounts(network, alice)).toEqual(['10.0000000000'])
})

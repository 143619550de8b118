import { expect, test } from 'vitest'
import { later, microsOf, timeOf } from '../../../src/registry/ledger/daml/time.ts'
import type { Node } from '../../../src/registry/ledger/update.ts'
import { type Network, openNetwork } from '../../automation/network.ts'

/** Returns one line for each node of each transaction. Each level of a tree indents its lines by two more spaces. */
async function treesAfter(net: Network, act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = await net.ledger.end()
  await act()
  const updates = await net.ledger.updates(before, await net.ledger.end(), 100)
  return updates
    .flatMap((update) => (update.kind === 'transaction' ? [update.nodes] : []))
    .flatMap(tree)
    .filter((line) => !/OpenMiningRound$/.test(line))
}

function tree(nodes: readonly Node[]): readonly string[] {
  const ends: number[] = []
  return nodes.map((node) => {
    while (ends.length > 0 && node.nodeId > (ends.at(-1) as number)) ends.pop()
    const line = `${'  '.repeat(ends.length)}${labelOf(node)}`
    if (node.kind === 'exercise') ends.push(node.lastDescendantNodeId)
    return line
  })
}

function labelOf(node: Node): string {
  const { templateId } = node.kind === 'create' ? node.contract : node
  const entity = templateId.slice(templateId.lastIndexOf(':') + 1)
  if (node.kind === 'create') return `create ${entity}`
  return node.choice === 'Archive' ? `Archive ${entity}` : node.choice
}

/** The lines of a choice that pays from the coin of the sender. */
const paying = (choice: string, payment: string) => [
  choice,
  '  OpenMiningRound_Fetch',
  '  AmuletRules_Transfer',
  '    Archive Amulet',
  '    create LockedAmulet',
  '    create Amulet',
  `  create ${payment}`,
]

/** The lines of a choice that collects a payment, from the state that it creates to the coin that it burns. */
const collecting = [
  '      create SubscriptionIdleState',
  '      LockedAmulet_UnlockV2',
  '        create Amulet',
  '      AmuletRules_Transfer',
  '        Archive Amulet',
  '        create Amulet',
  '    Archive Amulet',
]

test('a name is requested, paid and collected in the transactions of Splice', async () => {
  await using net = await openNetwork()
  const alice = await net.user('alice')
  expect(await treesAfter(net, () => net.ask(alice, 'alice'))).toEqual([
    'AnsRules_RequestEntry',
    '  create SubscriptionRequest',
    '  create AnsEntryContext',
  ])
  expect(await treesAfter(net, () => net.wallet.tap(alice, '2.5'))).toEqual([
    'AmuletRules_DevNet_Tap',
    '  AmuletRules_Mint',
    '    create Amulet',
  ])
  const [request] = await net.wallet.requests(alice)
  expect(await treesAfter(net, () => net.wallet.accept(alice, request?.contractId ?? ''))).toEqual(
    paying('SubscriptionRequest_AcceptAndMakePayment', 'SubscriptionInitialPayment'),
  )
  const [payment] = await net.wallet.initialPayments(alice)
  expect(payment?.argument).toMatchObject({ targetAmount: '200.0000000000', round: { number: '1' } })
  expect(await treesAfter(net, () => net.automation.runUntilIdle())).toEqual([
    'AnsEntryContext_CollectInitialEntryPayment',
    '  AnsRules_CollectInitialEntryPayment',
    '    SubscriptionInitialPayment_Collect',
    '      OpenMiningRound_Fetch',
    '      create Subscription',
    ...collecting,
    '    create AnsEntry',
  ])
  expect(await net.coinOf(alice)).toBe('300.0000000000')
})

test('a renewal is paid and collected in the transactions of Splice when its window opens, without drift', async () => {
  await using net = await openNetwork()
  const alice = await net.user('alice')
  const { argument } = await net.register(alice, 'alice')
  await net.wallet.tap(alice, '2')
  expect(await treesAfter(net, () => net.pass('59d'))).toEqual([])
  expect(await treesAfter(net, () => net.pass('25h'))).toEqual([
    ...paying('SubscriptionIdleState_MakePayment', 'SubscriptionPayment'),
    'AnsEntryContext_CollectEntryRenewalPayment',
    '  AnsRules_CollectEntryRenewalPayment',
    '    SubscriptionPayment_Collect',
    '      OpenMiningRound_Fetch',
    ...collecting,
    '    AnsEntry_Renew',
    '      create AnsEntry',
  ])
  const microseconds = String(90 * 86_400_000_000)
  const expiresAt = timeOf(later(microsOf(argument.expiresAt), { microseconds }))
  const renewed = await net.ledger.entries({ name: argument.name, limit: 2 })
  expect(renewed).toMatchObject([{ argument: { ...argument, expiresAt } }])
  expect(await net.coinOf(alice)).toBe('200.0000000000')
  expect(await net.leftovers()).toEqual([
    'Subscription',
    'SubscriptionIdleState',
    'AnsEntry',
    'AnsEntryContext',
  ])
})

test('a rejected payment gives the coin back and ends the subscription before it began', async () => {
  await using net = await openNetwork()
  const [alice, bob] = [await net.user('alice'), await net.user('bob')]
  await net.pay(alice, 'same')
  await net.pay(bob, 'same')
  const trees = await treesAfter(net, () => net.automation.runUntilIdle())
  expect(trees.slice(trees.indexOf('AnsEntryContext_RejectEntryInitialPayment'))).toEqual([
    'AnsEntryContext_RejectEntryInitialPayment',
    '  AnsRules_RejectEntryInitialPayment',
    '    SubscriptionInitialPayment_Reject',
    '      create TerminatedSubscription',
    '      LockedAmulet_UnlockV2',
    '        create Amulet',
    '      OpenMiningRound_Fetch',
    'AnsEntryContext_Terminate',
    '  Archive TerminatedSubscription',
  ])
  expect(await net.coinOf(bob)).toBe('200.0000000000')
})

test('a cancelled subscription ends at once, and its entry when it expires', async () => {
  await using net = await openNetwork()
  const alice = await net.user('alice')
  await net.register(alice, 'alice')
  const [running] = await net.wallet.subscriptions(alice)
  const cancel = () => net.wallet.cancel(alice, running?.state.contract.contractId ?? '')
  expect(await treesAfter(net, cancel)).toEqual([
    'SubscriptionIdleState_CancelSubscription',
    '  Subscription_Archive',
    '    create TerminatedSubscription',
  ])
  expect(await treesAfter(net, () => net.automation.runUntilIdle())).toEqual([
    'AnsEntryContext_Terminate',
    '  Archive TerminatedSubscription',
  ])
  expect(await net.wallet.subscriptions(alice)).toEqual([])
  const usual = { amount: '1.0000000000', unit: 'USDUNIT', paymentDuration: '2592000000000' }
  expect(await net.registry.list(alice)).toMatchObject([{ name: 'alice.unverified.cns', ...usual }])
  await net.wallet.tap(alice, '5')
  await net.pass('89d')
  expect(await net.holders('alice')).toEqual([alice.party])
  expect(await treesAfter(net, () => net.pass('2d'))).toEqual(['AnsEntry_Expire'])
  expect(await net.leftovers()).toEqual([])
  expect(await net.coinOf(alice)).toBe('1000.0000000000')
})

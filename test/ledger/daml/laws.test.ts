import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LockedAmulet } from '../../../src/registry/ledger/daml/splice/amulet.ts'
import { listContracts } from '../../../src/registry/ledger/ledger.ts'
import { type Network, openNetwork } from '../../automation/network.ts'

const names = ['a', 'b']
const fee = 200
const move = fc.record({
  act: fc.constantFrom('tap', 'ask', 'ask', 'accept', 'accept', 'reject', 'cancel', 'pass'),
  user: fc.constantFrom('alice', 'bob'),
  name: fc.constantFrom(...names),
  duration: fc.constantFrom('1m', '11m', '20d', '61d'),
})
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never

/** Returns the coin that the move created. */
async function make(net: Network, { act, user, name, duration }: Move): Promise<number> {
  const who = await net.user(user)
  switch (act) {
    case 'tap':
      await net.wallet.tap(who, '1.5')
      return 300
    case 'ask':
      await net.ask(who, name)
      return 0
    case 'accept':
    case 'reject': {
      const [request] = await net.wallet.requests(who)
      if (request !== undefined) await net.wallet[act](who, request.contractId)
      return 0
    }
    case 'cancel': {
      const [running] = await net.wallet.subscriptions(who)
      if (running !== undefined) await net.wallet.cancel(who, running.state.contract.contractId)
      return 0
    }
    default:
      await net.pass(duration as '1m')
      return 0
  }
}

async function coinThere(net: Network): Promise<number> {
  const users = [await net.user('alice'), await net.user('bob')]
  const unlocked = (await Promise.all(users.map(net.coins))).flat().map(({ argument }) => argument)
  const locked = await listContracts(net.ledger, LockedAmulet, {}, 1_000)
  const all = [...unlocked, ...locked.map(({ argument }) => argument.amulet)]
  return all.reduce((sum, { amount }) => sum + Number(amount.initialAmount), 0)
}

async function collected(net: Network): Promise<number> {
  const updates = await net.ledger.updates(0, await net.ledger.end(), 10_000)
  const nodes = updates.flatMap((update) => (update.kind === 'transaction' ? update.nodes : []))
  return nodes.filter((node) => node.kind === 'exercise' && /^AnsRules_Collect/.test(node.choice)).length
}

test('whatever users do and however time passes, a name has one owner, and coin is only burned for names', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 30, size: 'max' }), async (moves) => {
      await using net = await openNetwork()
      let tapped = 0
      for (const each of moves) {
        tapped += await make(net, each).catch((error: unknown) => {
          expect(error).toMatchObject({ name: 'SpliceError' })
          return 0
        })
        for (const name of names) expect((await net.holders(name)).length).toBeLessThanOrEqual(1)
      }
      expect(await coinThere(net)).toBe(tapped - fee * (await collected(net)))
      expect(net.warnings).toEqual([])
    }),
    { numRuns: 40, interruptAfterTimeLimit: 15_000 },
  )
}, 60_000)

import { expect, test } from 'vitest'
import { advance, Caller, lookUp } from '../support/caller.ts'
import { startEmbedded } from '../support/daemon.ts'

test("two users racing for one name, 40 times in parallel: exactly one gets it, the other's coin is back", async () => {
  await using running = await startEmbedded()
  const { daemon } = running
  const base = daemon.http
  const coinOf = async (user: Caller) => {
    const balance = await user.get(base, 'GET /v0/wallet/balance')
    return [Number(balance.effective_unlocked_qty), Number(balance.effective_locked_qty)]
  }
  const namesOf = async (user: Caller) => {
    const { entries } = await user.get(base, 'GET /v0/entry/all')
    return entries.map(({ name }: { name: string }) => name)
  }
  const prepare = async (userId: string, name: string) => {
    const user = await Caller.of(userId)
    const [{ subscriptionRequestCid }] = await Promise.all([user.ask(base, name), user.tap(base, '1.0')])
    return { user, pay: () => user.accept(base, subscriptionRequestCid) }
  }
  const races = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const name = `name-${at}.unverified.cns`
      return { name, racers: await Promise.all([prepare(`a-${at}`, name), prepare(`b-${at}`, name)]) }
    }),
  )
  // In every second race the racers start in the opposite order, so that either racer may win.
  await Promise.all(
    races.flatMap(({ racers }, at) => (at % 2 ? racers : racers.toReversed())).map(({ pay }) => pay()),
  )
  await advance(daemon.localnet?.control ?? '', '0s')

  for (const { name, racers } of races) {
    const ended = await Promise.all(
      racers.map(async ({ user }) => ({ names: await namesOf(user), coin: await coinOf(user) })),
    )
    const [winner, loser] = ended.toSorted((a, b) => b.names.length - a.names.length)
    expect(winner, name).toEqual({ names: [name], coin: [0, 0] })
    expect(loser, name).toEqual({ names: [], coin: [200, 0] })
    const [anybody] = racers
    const { entry } = await anybody.user.get(base, lookUp(name))
    const parties = await Promise.all(
      racers.map(({ user }) => user.get(base, 'GET /v0/wallet/user-status').then(({ party_id }) => party_id)),
    )
    expect(entry.user, name).toBe(parties[ended.findIndex(({ names }) => names.length === 1)])
  }
}, 60_000)

import { describe, expect, test } from 'vitest'
import { bootstrap } from '../../src/automation/bootstrap.ts'
import { SpliceError } from '../../src/errors/splice.ts'
import { openEmbeddedLedger } from '../../src/ledger/embedded/embedded-ledger.ts'
import { LedgerUnavailable, type WriteOutcome } from '../../src/ledger/ledger.ts'
import { milliseconds } from '../../src/lib/clock.ts'
import type { NameServiceProtocol } from '../../src/name-service/calls.ts'
import { logLine } from '../../src/name-service/lines.ts'
import { NameServiceStub } from '../../src/name-service/stub.ts'
import { Rules } from '../../src/names/cached-rules.ts'
import { Users } from '../../src/names/users.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { acronym, nameOf } from '../automation/network.ts'
import { ManualClock } from '../support/manual-clock.ts'

async function openService() {
  const clock = new ManualClock()
  const logged: string[] = []
  const wrote: WriteOutcome[] = []
  const log = (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`)
  const ledger = await openEmbeddedLedger<NameServiceProtocol>(
    {},
    {
      clock,
      threadModule: new URL('../../src/ledger-thread.ts', import.meta.url),
      serviceEvent: (line) => logLine({ ...silentLogger, info: log, warn: log, error: log }, line),
      wrote: (outcome) => wrote.push(outcome),
    },
  )
  const dso = await bootstrap(ledger, { acronym, now: clock.wall() * 1000 })
  const rules = new Rules(dso, ledger)
  const users = new Users(ledger)
  const names = await NameServiceStub.begin({ dso, acronym }, { ledger, clock })
  const { registry, wallet } = names
  return {
    clock,
    ledger,
    rules,
    names,
    users,
    logged,
    wrote,
    async pay(userId: string, name: string): Promise<void> {
      const user = await users.get(userId)
      const asked = await registry.create(user, { name: nameOf(name), url: '', description: '' })
      await wallet.tap(user, '1.0')
      await wallet.accept(user, asked.subscriptionRequestCid)
    },
    holders: async (name: string) => {
      const entries = await ledger.entries({ name: nameOf(name), limit: 9 })
      return entries.map(({ user }) => user.slice(0, user.indexOf('::')))
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await names[Symbol.asyncDispose]()
      rules[Symbol.dispose]()
      await ledger[Symbol.asyncDispose]()
    },
  }
}

describe("a name service in its ledger's thread", () => {
  test('collects a payment by itself, which those outside hear of, and counts it', async () => {
    await using service = await openService()
    const entered = Promise.withResolvers<readonly string[]>()
    service.ledger.watch(({ names }) => {
      if (names.length > 0) entered.resolve(names.map(({ name }) => name))
    })
    const before = service.wrote.length
    await service.pay('alice', 'alice')
    expect(await entered.promise).toEqual([nameOf('alice')])
    expect(await service.holders('alice')).toEqual(['alice'])
    await service.names.runUntilIdle()
    // The user's party, the request, the coin, the payment and the automation's collection are one write each.
    expect(service.wrote.slice(before)).toEqual(Array(5).fill('committed'))
  })

  test('has settled everything when the caller of `runUntilIdle` gets its answer', async () => {
    await using service = await openService()
    const names: string[] = []
    service.ledger.watch((touched) => names.push(...touched.names.map(({ name }) => name)))
    await Promise.all(['a', 'b', 'c'].map((name) => service.pay(name, name)))
    await service.names.runUntilIdle()
    expect(names.toSorted()).toEqual(['a', 'b', 'c'].map(nameOf))
  })

  test('says for the log what it gave back', async () => {
    await using service = await openService()
    await service.pay('alice', 'same')
    await service.names.runUntilIdle()
    await expect(service.pay('bob', 'same')).rejects.toThrow('is registered until')
    await Promise.all([service.pay('carol', 'one'), service.pay('dave', 'one')])
    await service.names.runUntilIdle()
    expect(service.logged).toEqual(['a payment for a name is given back {"reason":"the name is taken"}'])
  })

  test('looks at what is due by the clock of those outside, at least every half minute', async () => {
    await using service = await openService()
    const numbers = async () =>
      (await service.rules.get()).rounds.map(({ argument }) => argument.round.number)
    expect(await numbers()).toEqual(['0', '1', '2'])
    const moved = Promise.withResolvers<void>()
    service.ledger.watch(({ archived }) => {
      if (archived.length > 0) moved.resolve()
    })
    service.clock.advance(milliseconds('20m'))
    await moved.promise
    expect(await numbers()).toEqual(['1', '2', '3'])
  })

  test('ends together with its ledger, in any order', async () => {
    await using service = await openService()
    await service.ledger[Symbol.asyncDispose]()
    await expect(service.names.runUntilIdle()).rejects.toThrow(LedgerUnavailable)
    service.clock.advance(milliseconds('1m'))
    expect(service.clock.waiting).toBe(1)
    await service.names[Symbol.asyncDispose]()
    expect(service.clock.waiting).toBe(0)
  })

  test('refuses as it does in the thread of the caller', async () => {
    await using service = await openService()
    const { registry, wallet } = service.names
    const user = await service.users.get('alice')
    const gone = await wallet.accept(user, '00ff').catch((error: unknown) => error)
    expect(gone).toBeInstanceOf(SpliceError)
    expect(gone).toEqual(new SpliceError('contractNotFound', { template: 'SubscriptionRequest', id: '00ff' }))
    const asked = registry.create(user, { name: 'no', url: '', description: '' })
    await expect(asked).rejects.toMatchObject({ code: 'invalidEntry', status: 400 })
  })

  test('answers what it was asked before it ended', async () => {
    await using service = await openService()
    const { registry, wallet } = service.names
    const user = await service.users.get('alice')
    const asked = await registry.create(user, { name: nameOf('alice'), url: '', description: '' })
    await wallet.tap(user, '1.0')
    const accepted = wallet.accept(user, asked.subscriptionRequestCid)
    const tapped = wallet.tap(user, '2.0')
    await service.names[Symbol.asyncDispose]()
    await service.ledger[Symbol.asyncDispose]()
    expect(await tapped).toMatch(/^00/)
    expect(await accepted).toMatch(/^00/)
  })

  test('is missing from a ledger whose thread runs no service', async () => {
    await using ledger = await openEmbeddedLedger<NameServiceProtocol>({}, { clock: new ManualClock() })
    await expect(ledger.askService({ kind: 'run-until-idle' })).rejects.toThrow(
      'the thread of this ledger runs no service',
    )
  })
})

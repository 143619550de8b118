import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AnsEntry } from '../../../src/registry/ledger/daml/splice/ans.ts'
import type { EmbeddedLedger } from '../../../src/registry/ledger/embedded/embedded-ledger.ts'
import { type EntryFilter, LedgerUnavailable } from '../../../src/registry/ledger/ledger.ts'
import type { Contract } from '../../../src/registry/ledger/update.ts'
import {
  archive,
  commit,
  createdBy,
  dayUs,
  entryCreate,
  type Pair,
  pairOf,
  register,
  renewal,
  submission,
  transactionOf,
} from '../submissions.ts'
import { openLedger } from './open.ts'

const template = AnsEntry.name
const everything = Number.MAX_SAFE_INTEGER
const spring = Date.UTC(2026, 3, 1) * 1000

describe('parties', () => {
  test('are allocated once a user, as updates of their own', async () => {
    await using opened = await openLedger()
    const { ledger, clock } = opened
    const alice = await ledger.partyOf('alice@example', 'alice')
    expect(alice).toMatch(/^alice::1220[0-9a-f]{64}$/)
    expect(await ledger.partyOf('alice@example', 'another-hint')).toBe(alice)
    expect(await ledger.findParty('alice@example')).toBe(alice)
    expect(await ledger.findParty('bob')).toBeUndefined()
    expect(await ledger.allocatedAt(alice)).toBe(1)
    expect(await ledger.allocatedAt('alice')).toBeUndefined()
    expect(await ledger.updates(0, everything, 10)).toEqual([
      {
        kind: 'party',
        offset: 1,
        updateId: expect.stringMatching(/^1220[0-9a-f]{64}$/),
        recordTime: clock.wall() * 1000,
        synchronizerId: expect.stringMatching(/^[a-z-]+::1220[0-9a-f]{64}$/),
        party: alice,
        userId: 'alice@example',
        participantId: alice.replace('alice', 'participant'),
      },
    ])
  })

  test('of two users with one hint are two, also when they are asked for at once', async () => {
    await using opened = await openLedger()
    const users = ['one', 'two', 'three', 'two', 'one']
    const parties = await Promise.all(users.map((user) => opened.ledger.partyOf(user, 'same')))
    expect(new Set(parties).size).toBe(3)
    expect([parties[3], parties[4]]).toEqual([parties[1], parties[0]])
  })

  test('have identifiers that Canton takes, whatever the hint', async () => {
    await using opened = await openLedger()
    for (const [index, hint] of ['', '::', 'a::b', ':', 'ü@x', 'y'.repeat(500), 'a:'].entries())
      expect(await opened.ledger.partyOf(`user-${index}`, hint)).toMatch(
        /^[a-zA-Z0-9:\-_ ]{0,184}[a-zA-Z0-9\-_ ]::1220[0-9a-f]{64}$/,
      )
  })
})

describe('submissions', () => {
  test('are transactions with offsets without gaps and rising record times, also when the clock goes back', async () => {
    await using opened = await openLedger()
    const { ledger, clock } = opened
    const pair = await pairOf(ledger)
    const { dso, user } = pair
    clock.advance(1_000)
    const submitted = submission([user, dso], [entryCreate(pair, 'a'), entryCreate(pair, 'b')])
    const transaction = transactionOf(await ledger.submit(submitted))
    const at = clock.wall() * 1000
    const { commandId } = submitted
    const updateId = expect.stringMatching(/^1220[0-9a-f]{64}$/)
    const times = { effectiveAt: at, recordTime: at }
    expect(transaction).toMatchObject({ offset: 3, updateId, commandId, actAs: [user, dso], ...times })
    expect(transaction.nodes.map(({ kind, nodeId }) => [kind, nodeId])).toEqual([
      ['create', 0],
      ['create', 1],
    ])
    expect(createdBy(transaction)[0]).toMatchObject({
      contractId: expect.stringMatching(/^00[0-9a-f]{64}ca111220[0-9a-f]{64}$/),
      templateId: AnsEntry.templateId,
      argument: { name: 'a', user, dso },
      signatories: [dso, user].sort(),
      createdAt: at,
    })
    clock.setWall(clock.wall() - 3_600_000)
    await Promise.all(['d', 'e', 'f'].map((name) => register(ledger, pair, name)))
    const updates = await ledger.updates(0, everything, 100)
    expect(updates[2]).toEqual(transaction)
    expect(updates.map(({ offset }) => offset)).toEqual([1, 2, 3, 4, 5, 6])
    const recorded = updates.map(({ recordTime }) => recordTime)
    expect(recorded).toEqual([...new Set(recorded)].sort((a, b) => a - b))
    expect(new Set(updates.map(({ updateId }) => updateId)).size).toBe(6)
  })

  test('that come again, also at once, answer the first outcome', async () => {
    await using opened = await openLedger()
    const { ledger, clock } = opened
    const pair = await pairOf(ledger)
    const { dso, user } = pair
    const first = submission([dso, user], [entryCreate(pair, 'a')])
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => ledger.submit(first)))
    const fresh = outcomes.filter((outcome) => outcome.kind === 'committed' && !outcome.duplicate)
    expect(fresh).toHaveLength(1)
    clock.advance(60_000)
    const transaction = transactionOf(fresh[0] ?? expect.fail())
    const again = { kind: 'committed', transaction, result: null, duplicate: true }
    for (const other of [{ actAs: [user, dso, user] }, { commands: [entryCreate(pair, 'other')] }])
      expect(await ledger.submit({ ...first, ...other })).toEqual(again)
    const third = await ledger.partyOf('third', 'third')
    for (const other of [{ userId: 'another' }, { actAs: [dso, user, third] }, { commandId: 'another' }])
      expect(await ledger.submit({ ...first, ...other })).toMatchObject({ duplicate: false })
  })

  test('that are refused change nothing, and are not remembered', async () => {
    await using opened = await openLedger()
    const { ledger } = opened
    const pair = await pairOf(ledger)
    const { dso, user } = pair
    const alone = submission([user], [entryCreate(pair, 'a')])
    expect(await ledger.submit(alone)).toMatchObject({ kind: 'refused', code: 'DAML_AUTHORIZATION_ERROR' })
    const stranger = `nobody::1220${'0'.repeat(64)}`
    expect(await ledger.submit({ ...alone, actAs: [stranger] })).toMatchObject({ code: 'UNKNOWN_SUBMITTERS' })
    for (const contractId of [`00${'ab'.repeat(64)}`, '00', 'zz', ''])
      expect((await ledger.submit(submission([dso, user], [archive(contractId)]))).kind).toBe('refused')
    expect(await ledger.end()).toBe(2)
    const allowed = { ...alone, commands: [entryCreate({ dso: user, user }, 'b')] }
    expect((await ledger.submit(allowed)).kind).toBe('committed')
  })

  test('keep every text as it is', async () => {
    await using opened = await openLedger()
    const { ledger } = opened
    const pair = await pairOf(ledger)
    for (const text of ['', '"\\', ' ', 'é', 'e\u0301', '😀', '\uffff', "'", 'x'.repeat(100_000)]) {
      const contract = await register(ledger, pair, text, { description: text })
      expect(contract.argument).toMatchObject({ name: text, description: text })
      expect(await ledger.contracts({ template, where: { name: text } }, 2)).toEqual([contract])
    }
  })
})

describe('updates', () => {
  test('reach watchers with what they touched, in order, before their submitters get the outcome', async () => {
    await using opened = await openLedger()
    const { ledger, told } = opened
    const heard: unknown[] = []
    ledger.watch(() => {
      throw new Error('thrown by another watcher')
    })
    const stop = ledger.watch((touched, offset) => heard.push({ offset, ...touched }))
    const pair = await pairOf(ledger)
    const { contractId } = await register(ledger, pair, 'a')
    const names = [{ name: 'a', user: pair.user }]
    const untouched = { created: [], archived: [], names: [] }
    const created = { offset: 3, created: [template], archived: [], names }
    expect(heard).toEqual([{ offset: 1, ...untouched }, { offset: 2, ...untouched }, created])
    const renewed = createdBy(await commit(ledger, pair, renewal(contractId, dayUs)))
    expect(heard.at(-1)).toEqual({ ...created, offset: 4, archived: [template] })
    await commit(ledger, pair, ...renewed.map((entry) => archive(entry.contractId)))
    expect(heard.at(-1)).toEqual({ offset: 5, created: [], archived: [template], names })
    stop()
    await ledger.partyOf('late', 'late')
    expect(heard).toHaveLength(5)
    expect(told.map(({ kind }) => kind)).toEqual(Array(6).fill('watcher-failed'))
  })
})

describe('contracts', () => {
  test('are found by their id, and by indexed members together, while they are active', async () => {
    await using opened = await openLedger()
    const { ledger } = opened
    const alice = await pairOf(ledger, 'alice')
    const bob = await pairOf(ledger, 'bob')
    const a1 = await register(ledger, alice, 'one')
    const a2 = await register(ledger, alice, 'two')
    const b1 = await register(ledger, bob, 'one')
    const find = (where: Record<string, string> = {}, limit = 10) =>
      ledger.contracts({ template, where }, limit)
    expect(await find()).toEqual([a1, a2, b1])
    expect(await find({}, 2)).toEqual([a1, a2])
    expect(await find({ name: 'one' })).toEqual([a1, b1])
    expect(await find({ name: 'one', user: bob.user }, 1)).toEqual([b1])
    expect(await find({ name: 'none' })).toEqual([])
    await expect(find({ url: '' })).rejects.toThrow('no index of url')
    expect(await ledger.contract(a1.contractId)).toEqual(a1)
    await commit(ledger, alice, archive(a1.contractId))
    for (const id of [a1.contractId, b1.contractId.toUpperCase(), 'no hex'])
      expect(await ledger.contract(id)).toBeUndefined()
    expect(await find({ name: 'one' })).toEqual([b1])
  })

  test('are due by time, then by creation, and page after page', async () => {
    await using opened = await openLedger()
    const { ledger } = opened
    const pair = await pairOf(ledger)
    const at = (days: number) => spring + days * dayUs
    const contracts: Contract[] = []
    for (const days of [3, 1, 2, 2, 2, 9])
      contracts.push(await register(ledger, pair, `in ${days}`, { expiresAt: at(days) }))
    const [three, one, ...twos] = contracts.slice(0, 5) as [Contract, Contract, ...Contract[]]
    const due = (before: number, limit = 10, after?: Contract) => ledger.due(template, before, limit, after)
    expect(await due(at(9))).toEqual([one, ...twos, three])
    expect(await due(at(2))).toEqual([one])
    expect(await due(at(9), 2)).toEqual([one, twos[0]])
    expect(await due(at(9), 2, twos[0])).toEqual([twos[1], twos[2]])
    await commit(ledger, pair, archive(one.contractId))
    expect(await due(at(2))).toEqual([])
  })
})

describe('entries', () => {
  test('are at every time what they were then', async () => {
    await using opened = await openLedger()
    const { ledger, clock } = opened
    const pairs = [await pairOf(ledger, 'alice'), await pairOf(ledger, 'bob')] as const
    const step = fc.record({
      act: fc.constantFrom('register', 'renew', 'archive'),
      name: fc.constantFrom('a', 'ab', 'b'),
      who: fc.constantFrom(0, 1),
      waitMs: fc.constantFrom(0, 0, 5),
    })
    const filters: Partial<EntryFilter>[] = [
      {},
      { name: 'a' },
      { prefix: 'a', limit: 2 },
      { user: pairs[0].user },
      { user: pairs[1].user, name: 'ab' },
    ]
    const look = (asOf?: number) =>
      Promise.all(
        filters.map((filter) =>
          ledger.entries({ limit: 100, ...filter, ...(asOf !== undefined && { asOf }) }),
        ),
      )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        const seen = new Map<number, unknown>()
        for (const { act, name, who, waitMs } of steps) {
          clock.advance(waitMs)
          const at = await apply(ledger, pairs[who as 0 | 1], act, name)
          if (at !== undefined) seen.set(at, await look())
        }
        for (const [at, then] of seen) expect(await look(at)).toEqual(then)
      }),
      { numRuns: 15 },
    )
  })
})

async function apply(ledger: EmbeddedLedger, pair: Pair, act: string, name: string) {
  if (act === 'register') return (await commit(ledger, pair, entryCreate(pair, name))).recordTime
  const [entry] = await ledger.entries({ name, user: pair.user, limit: 1 })
  if (entry === undefined) return undefined
  const command = act === 'renew' ? renewal(entry.contractId, dayUs) : archive(entry.contractId)
  return (await commit(ledger, pair, command)).recordTime
}

test('a ledger keeps settings of parties apart from its updates', async () => {
  await using opened = await openLedger()
  const { ledger } = opened
  expect(await ledger.setting('alice', 'renew')).toBeUndefined()
  for (const value of ['no', 'yes']) await ledger.setSetting('alice', 'renew', value)
  expect(await ledger.setting('alice', 'renew')).toBe('yes')
  expect(await ledger.setting('bob', 'renew')).toBeUndefined()
  expect(await ledger.end()).toBe(0)
})

test('a ledger answers what was asked before it is closed, and nothing after', async () => {
  const { ledger } = await openLedger()
  const pair = await pairOf(ledger)
  const before = Array.from({ length: 200 }, (_, index) => register(ledger, pair, `name-${index}`))
  const closing = ledger[Symbol.asyncDispose]()
  await expect(ledger.end()).rejects.toThrow(LedgerUnavailable)
  await expect(ledger.partyOf('late', 'late')).rejects.toThrow(LedgerUnavailable)
  expect(new Set((await Promise.all(before)).map(({ contractId }) => contractId)).size).toBe(200)
  await closing
  await expect(commit(ledger, pair, entryCreate(pair, 'late'))).rejects.toThrow(LedgerUnavailable)
  await ledger[Symbol.asyncDispose]()
})

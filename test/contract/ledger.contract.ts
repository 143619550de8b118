import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EntryFilter, Ledger } from '../../src/ledger/ledger.ts'
import { LedgerUnavailable } from '../../src/ledger/ledger.ts'
import type { Contract } from '../../src/ledger/update.ts'
import {
  archive,
  commit,
  createdBy,
  dayUs,
  entryCreate,
  entryTemplate,
  type Pair,
  pairOf,
  register,
  renewal,
  rulesTemplate,
  submission,
  transactionOf,
} from '../ledger/submissions.ts'
import type { ManualClock } from '../support/manual-clock.ts'

export interface LedgerUnderTest extends AsyncDisposable {
  /** Empty, with Splice's templates. */
  readonly ledger: Ledger
  readonly clock: ManualClock
}

const everything = Number.MAX_SAFE_INTEGER
const spring = Date.UTC(2026, 3, 1) * 1000

/** What every ledger promises that takes submissions, however it keeps them. */
export function ledgerContract(name: string, open: () => Promise<LedgerUnderTest>): void {
  describe(`a ledger ${name}`, () => {
    test('that is new holds nothing', async () => {
      await using under = await open()
      const { ledger } = under
      expect(await ledger.end()).toBe(0)
      expect(await ledger.checkpoint()).toEqual({
        kind: 'offset-checkpoint',
        offset: 0,
        synchronizerTimes: [],
      })
      expect(await ledger.updates(0, everything, 10)).toEqual([])
      expect(await ledger.findUpdate(`1220${'0'.repeat(64)}`)).toBeUndefined()
      expect(await ledger.activeContracts(0, 10)).toEqual([])
      expect(await ledger.findParty('alice')).toBeUndefined()
      expect(await ledger.contract(`00${'ab'.repeat(68)}`)).toBeUndefined()
      expect(await ledger.contracts({ template: entryTemplate }, 10)).toEqual([])
      expect(await ledger.entries({ limit: 10 })).toEqual([])
      expect(await ledger.due({ template: entryTemplate, before: everything }, 10)).toEqual([])
    })

    describe('parties', () => {
      test('are allocated once a user, as updates of their own', async () => {
        await using under = await open()
        const { ledger, clock } = under
        const alice = await ledger.partyOf('alice@example', 'alice')
        expect(alice).toMatch(/^alice::1220[0-9a-f]{64}$/)
        expect(await ledger.partyOf('alice@example', 'another-hint')).toBe(alice)
        expect(await ledger.findParty('alice@example')).toBe(alice)
        expect(await ledger.updates(0, everything, 10)).toEqual([
          {
            kind: 'party',
            offset: 1,
            updateId: expect.stringMatching(/^1220[0-9a-f]{64}$/),
            recordTime: clock.wall() * 1000,
            synchronizerId: expect.stringMatching(/^[a-z-]+::1220[0-9a-f]{64}$/),
            party: alice,
            userId: 'alice@example',
            participantId: expect.stringMatching(/^participant::1220[0-9a-f]{64}$/),
          },
        ])
      })

      test('are all hosted by the participant whose namespace they are of', async () => {
        await using under = await open()
        const alice = await under.ledger.partyOf('alice', 'alice')
        await under.ledger.partyOf('bob', 'bob')
        const updates = await under.ledger.updates(0, everything, 10)
        const hosts = updates.map((update) => update.kind === 'party' && update.participantId)
        expect(hosts).toEqual(Array(2).fill(alice.replace('alice', 'participant')))
      })

      test('of two users with one hint are two, also when they are asked for at once', async () => {
        await using under = await open()
        const users = ['one', 'two', 'three', 'two', 'one']
        const parties = await Promise.all(users.map((user) => under.ledger.partyOf(user, 'same')))
        expect(new Set(parties).size).toBe(3)
        expect([parties[3], parties[4]]).toEqual([parties[1], parties[0]])
        expect(await under.ledger.end()).toBe(3)
      })

      test('have identifiers that Canton takes, whatever the hint', async () => {
        await using under = await open()
        for (const [index, hint] of ['', '::', 'a::b', ':', 'ü@x', 'y'.repeat(500), 'a:'].entries()) {
          const party = await under.ledger.partyOf(`user-${index}`, hint)
          const [identifier = '', namespace] = [
            party.slice(0, party.indexOf('::')),
            party.slice(party.indexOf('::') + 2),
          ]
          expect(identifier).toMatch(/^[a-zA-Z0-9:\-_ ]{1,185}$/)
          expect(namespace).toMatch(/^1220[0-9a-f]{64}$/)
        }
      })
    })

    describe('submissions', () => {
      test('become one transaction, which is then read as it was answered', async () => {
        await using under = await open()
        const { ledger, clock } = under
        const pair = await pairOf(ledger)
        clock.advance(1_234)
        const { dso, user } = pair
        const submitted = submission([user, dso], [entryCreate(pair, 'a'), entryCreate(pair, 'b')], {
          workflowId: 'flow',
        })
        const transaction = transactionOf(await ledger.submit(submitted))
        const at = clock.wall() * 1000
        expect(transaction).toMatchObject({
          kind: 'transaction',
          offset: 3,
          updateId: expect.stringMatching(/^1220[0-9a-f]{64}$/),
          commandId: submitted.commandId,
          userId: 'tester',
          actAs: [user, dso],
          workflowId: 'flow',
          effectiveAt: at,
          recordTime: at,
        })
        expect(transaction.nodes.map(({ kind, nodeId }) => [kind, nodeId])).toEqual([
          ['create', 0],
          ['create', 1],
        ])
        const [first] = createdBy(transaction)
        expect(first).toMatchObject({
          contractId: expect.stringMatching(/^00[0-9a-f]{64}ca111220[0-9a-f]{64}$/),
          templateId: expect.stringMatching(/^[0-9a-f]{64}:Splice\.Ans:AnsEntry$/),
          argument: { name: 'a', user, dso },
          signatories: [dso, user].sort(),
          createdAt: at,
        })
        expect(await ledger.updates(2, 3, 10)).toEqual([transaction])
        expect(await ledger.end()).toBe(3)
      })

      test('have offsets without gaps and rising record times, also when the clock goes back', async () => {
        await using under = await open()
        const { ledger, clock } = under
        const pair = await pairOf(ledger)
        const one = (name: string) => commit(ledger, pair, entryCreate(pair, name))
        await Promise.all(['a', 'b', 'c'].map(one))
        clock.setWall(clock.wall() - 3_600_000)
        await Promise.all(['d', 'e', 'f'].map(one))
        const updates = await ledger.updates(0, everything, 100)
        expect(updates.map(({ offset }) => offset)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
        const times = updates.map(({ recordTime }) => recordTime)
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
        expect(new Set(updates.map(({ updateId }) => updateId)).size).toBe(8)
      })

      test('that come again answer the first outcome', async () => {
        await using under = await open()
        const { ledger, clock } = under
        const pair = await pairOf(ledger)
        const { dso, user } = pair
        const first = submission([dso, user], [entryCreate(pair, 'a')])
        const transaction = transactionOf(await ledger.submit(first))
        clock.advance(60_000)
        const again = { kind: 'committed', transaction, duplicate: true }
        expect(await ledger.submit(first)).toEqual(again)
        expect(await ledger.submit({ ...first, actAs: [user, dso, user] })).toEqual(again)
        expect(await ledger.submit({ ...first, commands: [entryCreate(pair, 'other')] })).toEqual(again)
        expect(await ledger.end()).toBe(3)
      })

      test('of another user, party or command id are others', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const third = await ledger.partyOf('third', 'third')
        const { dso, user } = pair
        const first = submission([dso, user], [entryCreate(pair, 'a')])
        const others = [
          first,
          { ...first, userId: 'another' },
          { ...first, actAs: [dso, user, third] },
          { ...first, commandId: `${first.commandId}-2` },
        ]
        for (const other of others)
          expect(await ledger.submit(other)).toMatchObject({ kind: 'committed', duplicate: false })
      })

      test('that come a hundred times at once are one transaction', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const same = submission([pair.dso, pair.user], [entryCreate(pair, 'a')])
        const outcomes = await Promise.all(Array.from({ length: 100 }, () => ledger.submit(same)))
        const fresh = outcomes.filter((outcome) => outcome.kind === 'committed' && !outcome.duplicate)
        expect(fresh).toHaveLength(1)
        expect(new Set(outcomes.map((outcome) => transactionOf(outcome).updateId)).size).toBe(1)
        expect(await ledger.end()).toBe(3)
      })

      test('that are refused change nothing, and are not remembered', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const { dso, user } = pair
        const alone = submission([user], [entryCreate(pair, 'a')])
        expect(await ledger.submit(alone)).toMatchObject({
          kind: 'refused',
          code: 'DAML_AUTHORIZATION_ERROR',
        })
        const stranger = `nobody::1220${'0'.repeat(64)}`
        expect(await ledger.submit({ ...alone, actAs: [stranger] })).toMatchObject({
          kind: 'refused',
          code: 'UNKNOWN_SUBMITTERS',
        })
        for (const contractId of [`00${'ab'.repeat(64)}`, '00', 'zz', '']) {
          const outcome = await ledger.submit(submission([dso, user], [archive(contractId)]))
          expect(outcome.kind).toBe('refused')
        }
        expect(await ledger.end()).toBe(2)
        expect(await ledger.entries({ limit: 10 })).toEqual([])
        const entry = entryCreate({ dso, user: dso }, 'b')
        const later = { ...alone, actAs: [dso], commands: [entryCreate(pair, 'b')] }
        expect((await ledger.submit(later)).kind).toBe('refused')
        expect((await ledger.submit({ ...later, commands: [entry] })).kind).toBe('committed')
      })

      test('do all of their commands or none', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const { contractId } = await register(ledger, pair, 'a')
        const { dso, user } = pair
        const outcome = await ledger.submit(
          submission([dso, user], [entryCreate(pair, 'b'), archive(contractId), archive(contractId)]),
        )
        expect(outcome.kind).toBe('refused')
        expect((await ledger.entries({ limit: 10 })).map(({ name }) => name)).toEqual(['a'])
      })

      test('that race for one contract: one gets it', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const { contractId } = await register(ledger, pair, 'a')
        const { dso, user } = pair
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, () => ledger.submit(submission([dso, user], [archive(contractId)]))),
        )
        expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1)
        for (const outcome of outcomes)
          if (outcome.kind === 'refused') expect(outcome.code).toBe('CONTRACT_NOT_FOUND')
        expect(await ledger.end()).toBe(4)
      })

      test('keep every text as it is', async () => {
        await using under = await open()
        const pair = await pairOf(under.ledger)
        const texts = ['', '"\\', ' ', 'é', 'e\u0301', '😀', '\uffff', 'x'.repeat(100_000)]
        for (const text of texts) {
          const { contractId } = await register(under.ledger, pair, text, { description: text })
          expect((await under.ledger.contract(contractId))?.argument).toMatchObject({
            name: text,
            description: text,
          })
          expect((await under.ledger.entries({ name: text, limit: 2 })).map(({ name }) => name)).toEqual([
            text,
          ])
        }
      })
    })

    describe('updates', () => {
      test('are read in pages', async () => {
        await using under = await open()
        const { ledger } = under
        for (let user = 0; user < 7; user++) await ledger.partyOf(`user-${user}`, 'user')
        const offsets = async (...page: [number, number, number]) =>
          (await ledger.updates(...page)).map(({ offset }) => offset)
        expect(await offsets(0, everything, 3)).toEqual([1, 2, 3])
        expect(await offsets(3, everything, 3)).toEqual([4, 5, 6])
        expect(await offsets(6, everything, 3)).toEqual([7])
        expect(await offsets(2, 5, 100)).toEqual([3, 4, 5])
        expect(await offsets(7, everything, 3)).toEqual([])
        expect(await offsets(100, everything, 3)).toEqual([])
        expect(await offsets(0, everything, 0)).toEqual([])
      })

      test('are found by their id, whichever kind they are', async () => {
        await using under = await open()
        const { ledger } = under
        await register(ledger, await pairOf(ledger), 'a')
        const updates = await ledger.updates(0, everything, 10)
        expect(updates.map(({ kind }) => kind)).toEqual(['party', 'party', 'transaction'])
        for (const update of updates) {
          const { updateId } = update
          expect(await ledger.findUpdate(updateId)).toEqual(update)
          const alike = `${updateId.slice(0, -1)}${updateId.endsWith('0') ? '1' : '0'}`
          for (const other of [alike, updateId.slice(0, 20), updateId.toUpperCase(), '', 'no hex'])
            expect(await ledger.findUpdate(other)).toBeUndefined()
        }
      })

      test('leave a checkpoint at the last of them', async () => {
        await using under = await open()
        const { ledger } = under
        await register(ledger, await pairOf(ledger), 'a')
        const [last] = await ledger.updates(2, 3, 1)
        const { synchronizerId, recordTime } = last as { synchronizerId: string; recordTime: number }
        expect(await ledger.checkpoint()).toEqual({
          kind: 'offset-checkpoint',
          offset: 3,
          synchronizerTimes: [{ synchronizerId, recordTime }],
        })
      })

      test('are told to subscribers in order, before their submitters hear', async () => {
        await using under = await open()
        const { ledger } = under
        const heard: number[] = []
        const stop = ledger.subscribe(({ offset }) => heard.push(offset))
        const pair = await pairOf(ledger)
        await Promise.all(
          ['a', 'b', 'c', 'd'].map(async (name) => {
            const { offset } = await commit(ledger, pair, entryCreate(pair, name))
            expect(heard).toContain(offset)
          }),
        )
        expect(heard).toEqual([1, 2, 3, 4, 5, 6])
        stop()
        await ledger.partyOf('late', 'late')
        expect(heard).toHaveLength(6)
      })

      test('are told as they are read', async () => {
        await using under = await open()
        const { ledger } = under
        const heard: unknown[] = []
        ledger.subscribe((update) => heard.push(update))
        const pair = await pairOf(ledger)
        await register(ledger, pair, 'a')
        expect(heard).toEqual(await ledger.updates(0, everything, 10))
      })

      test('are told as a whole again to who subscribes when nobody did for a while', async () => {
        await using under = await open()
        const { ledger } = under
        ledger.subscribe(() => {})()
        const pair = await pairOf(ledger)
        const heard: unknown[] = []
        ledger.subscribe((update) => heard.push(update))
        await register(ledger, pair, 'a')
        expect(heard).toEqual(await ledger.updates(2, everything, 10))
      })

      test('are told to those who watch by what they touched, in order, before their submitters hear', async () => {
        await using under = await open()
        const { ledger } = under
        const heard: unknown[] = []
        const stop = ledger.watch((touched, offset) => heard.push({ offset, ...touched }))
        const pair = await pairOf(ledger)
        const { user } = pair
        const { contractId } = await register(ledger, pair, 'a')
        const name = { name: 'a', user }
        const created = { offset: 3, created: [entryTemplate], archived: [], names: [name] }
        const untouched = { created: [], archived: [], names: [] }
        expect(heard).toEqual([{ offset: 1, ...untouched }, { offset: 2, ...untouched }, created])
        const renewed = createdBy(await commit(ledger, pair, renewal(contractId, dayUs)))
        expect(heard.at(-1)).toEqual({ ...created, offset: 4, archived: [entryTemplate] })
        await commit(ledger, pair, ...renewed.map((entry) => archive(entry.contractId)))
        expect(heard.at(-1)).toEqual({ offset: 5, created: [], archived: [entryTemplate], names: [name] })
        stop()
        await ledger.partyOf('late', 'late')
        expect(heard).toHaveLength(5)
      })

      test('reach the other subscribers when one throws', async () => {
        await using under = await open()
        const { ledger } = under
        const heard: number[] = []
        ledger.subscribe(() => {
          throw new Error('thrown by a subscriber')
        })
        ledger.subscribe(({ offset }) => heard.push(offset))
        await pairOf(ledger)
        expect(heard).toEqual([1, 2])
      })
    })

    describe('contracts', () => {
      test('are found by their id while they are active', async () => {
        await using under = await open()
        const { ledger, clock } = under
        const pair = await pairOf(ledger)
        const contract = await register(ledger, pair, 'a')
        const then = clock.wall() * 1000
        expect(await ledger.contract(contract.contractId)).toEqual(contract)
        clock.advance(1000)
        const { recordTime } = await commit(ledger, pair, archive(contract.contractId))
        expect(await ledger.contract(contract.contractId)).toBeUndefined()
        expect(await ledger.contract(contract.contractId, recordTime)).toBeUndefined()
        expect(await ledger.contract(contract.contractId, recordTime - 1)).toEqual(contract)
        expect(await ledger.contract(contract.contractId, then - 1000)).toBeUndefined()
        expect(await ledger.contract(contract.contractId.toUpperCase())).toBeUndefined()
        expect(await ledger.contract('no hex')).toBeUndefined()
      })

      test('are found by template, stakeholder and indexed members together', async () => {
        await using under = await open()
        const { ledger } = under
        const alice = await pairOf(ledger, 'alice')
        const bob = await pairOf(ledger, 'bob')
        const a1 = await register(ledger, alice, 'one')
        const a2 = await register(ledger, alice, 'two')
        const b1 = await register(ledger, bob, 'one')
        const find = async (filter: object, limit = 10) =>
          (await ledger.contracts({ template: entryTemplate, ...filter }, limit)).map((c) => c.contractId)
        const ids = (...contracts: Contract[]) => contracts.map(({ contractId }) => contractId)
        expect(await find({})).toEqual(ids(a1, a2, b1))
        expect(await find({}, 2)).toEqual(ids(a1, a2))
        expect(await find({ template: rulesTemplate })).toEqual([])
        expect(await find({ party: alice.dso })).toEqual(ids(a1, a2, b1))
        expect(await find({ party: alice.user })).toEqual(ids(a1, a2))
        expect(await find({ where: { name: 'one' } })).toEqual(ids(a1, b1))
        expect(await find({ where: { name: 'one' } }, 1)).toEqual(ids(a1))
        expect(await find({ where: { name: 'one', user: bob.user } }, 1)).toEqual(ids(b1))
        expect(await find({ where: { name: 'one' }, party: bob.user }, 1)).toEqual(ids(b1))
        expect(await find({ where: { name: 'two' }, party: bob.user })).toEqual([])
        expect(await find({ where: { name: 'none' } })).toEqual([])
        await expect(find({ where: { url: '' } })).rejects.toThrow('no index of url')
      })

      test('are by time what they were', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const first = await register(ledger, pair, 'a')
        const renewed = await commit(ledger, pair, renewal(first.contractId, dayUs))
        const [second] = createdBy(renewed) as [Contract]
        const filters = [{}, { party: pair.user }, { where: { name: 'a' } }]
        for (const filter of filters) {
          const asOf = (time: number) => ledger.contracts({ template: entryTemplate, ...filter }, 10, time)
          expect(await asOf(renewed.recordTime)).toEqual([second])
          expect(await asOf(renewed.recordTime - 1)).toEqual([first])
          expect(await asOf(everything)).toEqual([second])
          expect(await asOf(0)).toEqual([])
        }
      })

      test('are active after an update as it left them, with the node that created each', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const { dso, user } = pair
        const both = submission([dso, user], [entryCreate(pair, 'a'), entryCreate(pair, 'b')], {
          workflowId: 'flow',
        })
        const created = transactionOf(await ledger.submit(both))
        const [a, b] = createdBy(created) as [Contract, Contract]
        const renewed = await commit(ledger, pair, renewal(a.contractId, dayUs))
        const [again] = createdBy(renewed) as [Contract]
        await commit(ledger, pair, archive(b.contractId))
        const { synchronizerId } = created
        const [ofA, ofB] = [a, b].map((contract, nodeId) => ({
          contract,
          offset: 3,
          nodeId,
          workflowId: 'flow',
          synchronizerId,
        }))
        const renewedNode = renewed.nodes.find(({ kind }) => kind === 'create')?.nodeId as number
        expect(renewedNode).toBeGreaterThan(0)
        const ofAgain = {
          contract: again,
          offset: 4,
          nodeId: renewedNode,
          workflowId: '',
          synchronizerId,
        }
        const then = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((at) => ledger.activeContracts(at, 10)))
        expect(then).toEqual([[], [], [], [ofA, ofB], [ofB, ofAgain], [ofAgain], [ofAgain]])
        expect(await ledger.activeContracts(4, 1)).toEqual([ofB])
        expect(await ledger.activeContracts(4, 0)).toEqual([])
        const rest = (offset: number, nodeId: number) => ledger.activeContracts(4, 10, { offset, nodeId })
        expect(await rest(2, 0)).toEqual([ofB, ofAgain])
        expect(await rest(3, 0)).toEqual([ofB, ofAgain])
        expect(await rest(3, 1)).toEqual([ofAgain])
        expect(await rest(4, renewedNode)).toEqual([])
        expect(await rest(100, 0)).toEqual([])
      })

      test('are due by time, then by id, and page after page', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const at = (days: number) => spring + days * dayUs
        const contracts: Contract[] = []
        for (const days of [3, 1, 2, 2, 2, 9])
          contracts.push(await register(ledger, pair, `in ${days}`, { expiresAt: at(days) }))
        const [three, one, ...rest] = contracts as [Contract, Contract, ...Contract[]]
        const twos = rest.slice(0, 3).sort((a, b) => (a.contractId < b.contractId ? -1 : 1))
        const due = (before: number, limit = 10, after?: { dueAt: number; contractId: string }) =>
          ledger.due({ template: entryTemplate, before, ...(after === undefined ? {} : { after }) }, limit)
        expect(await due(at(9))).toEqual([one, ...twos, three])
        expect(await due(at(2))).toEqual([one])
        expect(await due(at(9), 2)).toEqual([one, twos[0]])
        const cursor = { dueAt: at(2), contractId: (twos[0] as Contract).contractId }
        expect(await due(at(9), 2, cursor)).toEqual([twos[1], twos[2]])
        await commit(ledger, pair, archive(one.contractId))
        expect(await due(at(2))).toEqual([])
        expect(await ledger.due({ template: rulesTemplate, before: everything }, 10)).toEqual([])
      })
    })

    describe('entries', () => {
      const names = async (ledger: Ledger, filter: Partial<EntryFilter> = {}) =>
        (await ledger.entries({ limit: 100, ...filter })).map(({ name: found }) => found)

      test('come with their contract', async () => {
        await using under = await open()
        const pair = await pairOf(under.ledger)
        const contract = await register(under.ledger, pair, 'a', { expiresAt: spring })
        const { contractId } = contract
        expect(await under.ledger.entries({ name: 'a', limit: 1 })).toEqual([
          { contractId, name: 'a', user: pair.user, expiresAt: spring, contract },
        ])
      })

      test('are in the order of their code points', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const ordered = ['-', 'A', 'B', '_', 'a', 'a-', 'a.', 'a_', 'aa', 'b', 'é', '\uffee', '😀']
        for (const name of ordered.toReversed()) await register(ledger, pair, name)
        expect(await names(ledger)).toEqual(ordered)
        expect(await names(ledger, { limit: 3 })).toEqual(['-', 'A', 'B'])
        expect(await names(ledger, { prefix: 'a' })).toEqual(['a', 'a-', 'a.', 'a_', 'aa'])
        expect(await names(ledger, { prefix: 'a', limit: 2 })).toEqual(['a', 'a-'])
        expect(await names(ledger, { prefix: 'a', name: 'b' })).toEqual([])
        expect(await names(ledger, { prefix: '%' })).toEqual([])
      })

      test('with a prefix are those that start with it, at the edges of the code points too', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        const all = [
          '\ud7ff',
          '\ud7ff\u{10ffff}x',
          '\ue000',
          '\uffff',
          '\u{10000}',
          '\u{10ffff}',
          '\u{10ffff}a',
        ]
        for (const name of all) await register(ledger, pair, name)
        expect(await names(ledger, { prefix: '\ud7ff' })).toEqual(['\ud7ff', '\ud7ff\u{10ffff}x'])
        expect(await names(ledger, { prefix: '\uffff' })).toEqual(['\uffff'])
        expect(await names(ledger, { prefix: '\u{10ffff}' })).toEqual(['\u{10ffff}', '\u{10ffff}a'])
        expect(await names(ledger, { prefix: '' })).toEqual(all)
      })

      test('are those of a user', async () => {
        await using under = await open()
        const { ledger } = under
        const alice = await pairOf(ledger, 'alice')
        const bob = await pairOf(ledger, 'bob')
        for (const name of ['c', 'a', 'b']) await register(ledger, alice, name)
        await register(ledger, bob, 'a')
        expect(await names(ledger, { user: alice.user })).toEqual(['a', 'b', 'c'])
        expect(await names(ledger, { user: alice.user, limit: 1 })).toEqual(['a'])
        expect(await names(ledger, { user: alice.user, prefix: 'b' })).toEqual(['b'])
        expect(await names(ledger, { user: alice.dso })).toEqual([])
        const both = await ledger.entries({ name: 'a', user: bob.user, limit: 1 })
        expect(both.map(({ user }) => user)).toEqual([bob.user])
      })

      test('are unexpired up to the instant at which they expire', async () => {
        await using under = await open()
        const { ledger } = under
        const pair = await pairOf(ledger)
        await register(ledger, pair, 'a', { expiresAt: spring })
        for (const filter of [{}, { name: 'a' }, { user: pair.user }, { prefix: 'a' }]) {
          expect(await names(ledger, { ...filter, notExpiredAt: spring })).toEqual(['a'])
          expect(await names(ledger, { ...filter, notExpiredAt: spring + 1 })).toEqual([])
        }
      })

      test('are at every time what they were then', async () => {
        await using under = await open()
        const { ledger, clock } = under
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
              ledger.entries({ limit: 100, ...filter, ...(asOf === undefined ? {} : { asOf }) }),
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

    test('keeps settings of parties apart from its updates', async () => {
      await using under = await open()
      const { ledger } = under
      const { dso, user } = await pairOf(ledger)
      expect(await ledger.setting(user, 'renew')).toBeUndefined()
      await ledger.setSetting(user, 'renew', 'no')
      await ledger.setSetting(user, 'renew', 'yes')
      await ledger.setSetting(user, 'other', '')
      expect(await ledger.setting(user, 'renew')).toBe('yes')
      expect(await ledger.setting(user, 'other')).toBe('')
      expect(await ledger.setting(dso, 'renew')).toBeUndefined()
      expect(await ledger.end()).toBe(2)
    })

    test('answers what was asked before it is closed, and nothing after', async () => {
      const under = await open()
      const { ledger } = under
      const pair = await pairOf(ledger)
      const before = Array.from({ length: 200 }, (_, index) => register(ledger, pair, `name-${index}`))
      const read = ledger.end()
      const closing = under[Symbol.asyncDispose]()
      await expect(ledger.end()).rejects.toThrow(LedgerUnavailable)
      await expect(ledger.partyOf('late', 'late')).rejects.toThrow(LedgerUnavailable)
      expect(new Set((await Promise.all(before)).map(({ contractId }) => contractId)).size).toBe(200)
      expect(await read).toBeGreaterThanOrEqual(2)
      await closing
      await expect(commit(ledger, pair, entryCreate(pair, 'late'))).rejects.toThrow(LedgerUnavailable)
      await ledger[Symbol.asyncDispose]()
    })
  })
}

/** Does it where it can be done; gives the record time. */
async function apply(ledger: Ledger, pair: Pair, act: string, name: string): Promise<number | undefined> {
  if (act === 'register') return (await commit(ledger, pair, entryCreate(pair, name))).recordTime
  const [entry] = await ledger.entries({ name, user: pair.user, limit: 1 })
  if (entry === undefined) return undefined
  const command = act === 'renew' ? renewal(entry.contractId, dayUs) : archive(entry.contractId)
  return (await commit(ledger, pair, command)).recordTime
}

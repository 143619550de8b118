import { describe, expect, test } from 'vitest'
import {
  archive,
  commit,
  createdBy,
  entryCreate,
  pairOf,
  register,
  submission,
  transactionOf,
} from '../../ledger/submissions.ts'
import { everything, type OpenLedger } from './under-test.ts'

export function submissionsContract(open: OpenLedger): void {
  describe('submissions', () => {
    test('become one transaction, which is then read as it was answered', async () => {
      await using under = await open()
      const { ledger, clock } = under
      const pair = await pairOf(ledger)
      clock.advance(1_234)
      const { dso, user } = pair
      const submitted = submission([user, dso], [entryCreate(pair, 'a'), entryCreate(pair, 'b')])
      const transaction = transactionOf(await ledger.submit(submitted))
      const at = clock.wall() * 1000
      expect(transaction).toMatchObject({
        kind: 'transaction',
        offset: 3,
        updateId: expect.stringMatching(/^1220[0-9a-f]{64}$/),
        commandId: submitted.commandId,
        userId: 'tester',
        actAs: [user, dso],
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
      const again = { kind: 'committed', transaction, result: null, duplicate: true }
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
        expect((await under.ledger.entries({ name: text, limit: 2 })).map(({ name }) => name)).toEqual([text])
      }
    })
  })
}

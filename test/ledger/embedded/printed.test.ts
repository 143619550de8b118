import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeToPrint, decodeUpdate, encode } from '../../../src/ledger/embedded/encoding.ts'
import { printed } from '../../../src/ledger/embedded/printed.ts'
import type { Transaction } from '../../../src/ledger/update.ts'
import { updateView } from '../../../src/ledger/visibility/visible.ts'
import { updateText } from '../../../src/ledger/wire/responses.ts'
import { someEvents, someRights, someShape, someTransaction } from '../visibility/arbitrary.ts'
import { catalog, updates } from '../visibility/ledger.ts'
import { openLedger, temporaryFolder } from './open.ts'

const identity = { synchronizerId: 'global-domain::1220', namespace: `1220${'a'.repeat(64)}` }

const someText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('","signatories":["a"],"observers":[', '\\', ':null}', '\u2028', ']}', 'a::1220'),
)
const someArgument = fc
  .dictionary(
    fc.constantFrom('owner', 'signatories', 'name', 'tag', 'value'),
    fc.json().map((json) => JSON.parse(json)),
  )
  .chain((more) => someText.map((owner) => ({ ...more, owner, last: null })))

/**
 * Transactions whose texts look like parts of a node's JSON. They could mislead `decodeToPrint`, which searches that
 * JSON for the argument.
 */
const someHard = fc
  .record({ made: someTransaction, argument: someArgument, party: someText, commandId: someText })
  .map(({ made, argument, party, commandId }): Transaction => {
    const nodes = made.transaction.nodes.map((node) => {
      if (node.kind === 'exercise') return node
      const observers = [...node.contract.observers, party]
      return { ...node, contract: { ...node.contract, argument, observers } }
    })
    return { ...made.transaction, nodes, commandId }
  })

test('an update is printed from the texts in the log as from its decoded values', () => {
  let delivered = 0
  fc.assert(
    fc.property(someHard, someShape, someEvents, someRights, (transaction, shape, format, rights) => {
      const { offset, updateId, recordTime } = transaction
      const stored = { offset, updateId, recordTime, kind: 'transaction' as const, ...encode(transaction) }
      const view = updateView(updates(format, shape), rights, catalog)
      const [written, meant] = [
        view(decodeUpdate(stored, identity, decodeToPrint)),
        view(decodeUpdate(stored, identity)),
      ]
      expect(written === undefined).toBe(meant === undefined)
      if (written === undefined || meant === undefined) return
      delivered++
      const text = updateText(written)
      expect(text).toBe(updateText(meant))
      expect(text).toBe(JSON.stringify(JSON.parse(text)))
    }),
    { numRuns: 3_000, interruptAfterTimeLimit: 15_000 },
  )
  expect(delivered).toBeGreaterThan(500)
})

test('a range is printed whole and in order, however little room there is at a time', () => {
  let printedAtOnce = 0
  fc.assert(
    fc.property(
      fc.record({
        made: fc.array(someHard, { minLength: 1, maxLength: 12 }),
        shape: someShape,
        format: someEvents,
        rights: someRights,
        descending: fc.boolean(),
        most: fc.nat(12),
        room: fc.nat(6_000),
      }),
      ({ made, shape, format, rights, descending, most, room }) => {
        const stored = made.map((transaction, index) => {
          const { updateId, recordTime } = transaction
          const place = { offset: index + 1, updateId, recordTime }
          return { ...place, kind: 'transaction' as const, ...encode(transaction) }
        })
        const log = {
          *texts(after: number, upTo: number, limit: number) {
            yield* stored.slice(after, Math.min(upTo, after + limit))
          },
        }
        const updateFormat = updates(format, shape)
        const view = updateView(updateFormat, rights, catalog)
        const all = (descending ? stored.toReversed() : stored).flatMap((update) => {
          const delivered = view(decodeUpdate(update, identity))
          return delivered === undefined ? [] : [{ offset: update.offset, text: updateText(delivered) }]
        })

        const texts: string[] = []
        let [after, upTo, next] = [0, stored.length, undefined as number | undefined]
        for (let left = most; after < upTo && next === undefined; ) {
          const request = { after, upTo, descending, limit: left, format: updateFormat, rights }
          const stretch = printed(request, { log, identity, catalog }, room)
          if (stretch.count > 0) texts.push(Buffer.from(stretch.json).toString())
          printedAtOnce = Math.max(printedAtOnce, stretch.count)
          left -= stretch.count
          next = stretch.next
          if (descending) upTo = stretch.after
          else after = stretch.upTo
        }
        expect(texts.join(',')).toBe(
          all
            .slice(0, most)
            .map(({ text }) => text)
            .join(','),
        )
        expect(next).toBe(all[most]?.offset)
      },
    ),
    { numRuns: 300, interruptAfterTimeLimit: 15_000 },
  )
  expect(printedAtOnce).toBeGreaterThan(1)
})

const everybody = { readAs: new Set<string>(), readAsAnyParty: true }
const topology = {
  includeTransactions: undefined,
  includeReassignments: undefined,
  includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: [] } },
}

/** A start checks the last 32 updates. */
const uncheckedAtStart = 40

async function changed(file: string, statement: string): Promise<void> {
  {
    await using opened = await openLedger({ file })
    for (let count = 0; count < uncheckedAtStart; count++)
      await opened.ledger.partyOf(`user-${count}`, 'user')
  }
  using db = new DatabaseSync(file)
  db.exec(`DROP TRIGGER log_stays; ${statement} WHERE offset = 5`)
}

test.each([
  ['its text', "UPDATE log SET head = replace(head, 'user-4', 'user-5')"],
  ['its time', 'UPDATE log SET record_time = 77'],
  ['its id', "UPDATE log SET update_id = replace(update_id, '12', '21')"],
])('an update that differs from what was written (%s) is not answered', async (_what, statement) => {
  await using folder = await temporaryFolder()
  await changed(folder.file, statement)
  await using opened = await openLedger({ file: folder.file })
  const { ledger } = opened
  const read = (after: number, upTo: number) =>
    ledger.printed({ after, upTo, descending: false, limit: 10, format: topology, rights: everybody })
  expect(await read(0, 4)).toMatchObject({ count: 4 })
  await expect(read(4, 5)).rejects.toThrow('not what was written')
  await expect(read(0, 10)).rejects.toThrow('not what was written')
  await expect(ledger.updates(4, 5, 1)).rejects.toThrow('not what was written')
})

test('an update whose checksum alone is wrong is read, by its digests', async () => {
  await using folder = await temporaryFolder()
  await changed(folder.file, 'UPDATE log SET checksum = 1')
  await using opened = await openLedger({ file: folder.file })
  expect((await opened.ledger.updates(0, 10, 10)).map(({ offset }) => offset)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ])
})

import { describe, expect, test } from 'vitest'
import { fold, type HeldContract, type RowChange } from '../../../src/ledger/embedded/fold.ts'
import type { Indexing } from '../../../src/ledger/embedded/interpreter.ts'
import { noMember } from '../../../src/ledger/embedded/tables/kinds.ts'
import type { Contract, Node, Transaction } from '../../../src/ledger/update.ts'

const indexing: Indexing = new Map([
  ['M:Deep', { members: { owner: ['data', 'owner'], gone: ['data', 'none', 'further'] } }],
  ['M:Timed', { members: {}, due: 'endsAt' }],
  ['Splice.Ans:AnsEntry', { members: { name: ['name'] }, due: 'expiresAt' }],
])

function contractOf(id: string, template: string, argument: Contract['argument']): Contract {
  return {
    contractId: id,
    templateId: `${'0'.repeat(64)}:${template}`,
    packageName: 'package',
    argument,
    signatories: ['dso'],
    observers: ['watcher'],
    createdEventBlob: '',
    createdAt: 5,
  }
}

function create(nodeId: number, contract: Contract): Node {
  return { kind: 'create', nodeId, contract, witnesses: [] }
}

function exercise(nodeId: number, { contractId, templateId }: Contract, consuming: boolean): Node {
  const nobody = { actingParties: [], signatories: [], observers: [], witnesses: [] }
  const place = { nodeId, lastDescendantNodeId: nodeId, contractId, templateId, packageName: 'package' }
  return { kind: 'exercise', ...place, choice: 'C', argument: {}, result: {}, consuming, ...nobody }
}

function transaction(...nodes: Node[]): Transaction {
  return {
    kind: 'transaction',
    offset: 9,
    updateId: '1220',
    commandId: '',
    userId: '',
    actAs: [],
    workflowId: '',
    effectiveAt: 5,
    recordTime: 5,
    synchronizerId: '',
    nodes,
  }
}

function changes(update: Transaction, held: Record<string, HeldContract> = {}): readonly RowChange[] {
  const get = (id: string) => {
    const found = held[id]
    if (found === undefined) throw new Error(`asked for ${id}`)
    return found
  }
  return fold(update, 100, get, indexing)
}

describe('folding an update', () => {
  test('adds a party', () => {
    const place = { offset: 3, updateId: '1220', recordTime: 1, synchronizerId: '' }
    expect(
      fold(
        { kind: 'party', ...place, party: 'p', userId: 'u', participantId: 'x' },
        1,
        () => never(),
        indexing,
      ),
    ).toEqual([{ table: 'parties', change: 'add', party: 'p', userId: 'u', offset: 3 }])
  })

  test('adds what is created, by the row of its node', () => {
    const deep = contractOf('c1', 'M:Deep', { data: { owner: 'alice', none: null } })
    expect(changes(transaction(exercise(0, contractOf('c0', 'M:X', {}), false), create(1, deep)))).toEqual([
      { table: 'contracts', change: 'add', node: 101, template: 'M:Deep', offset: 9 },
      { table: 'finders', change: 'add', template: 'M:Deep', member: noMember, value: 'dso', node: 101 },
      { table: 'finders', change: 'add', template: 'M:Deep', member: noMember, value: 'watcher', node: 101 },
      { table: 'finders', change: 'add', template: 'M:Deep', member: 'owner', value: 'alice', node: 101 },
    ])
  })

  test('removes what is archived from everything but the rows of the past', () => {
    const expiresAt = '1970-01-01T00:00:00.000007Z'
    const entry = contractOf('c1', 'Splice.Ans:AnsEntry', { name: 'a', user: 'u', expiresAt })
    const template = 'Splice.Ans:AnsEntry'
    const added = changes(transaction(create(0, entry)))
    const removed = changes(transaction(exercise(0, entry, true)), { c1: { node: 42, contract: entry } })
    expect(removed).toEqual([
      { table: 'contracts', change: 'archive', node: 42, offset: 9 },
      { table: 'finders', change: 'remove', template, member: noMember, value: 'dso', node: 42 },
      { table: 'finders', change: 'remove', template, member: noMember, value: 'watcher', node: 42 },
      { table: 'finders', change: 'remove', template, member: 'name', value: 'a', node: 42 },
      { table: 'due', change: 'remove', template, dueAt: 7, contractId: 'c1', node: 42 },
      { table: 'entries', change: 'archive', node: 42, name: 'a', user: 'u', offset: 9 },
    ])
    expect(added.map(({ table }) => table)).toEqual(removed.map(({ table }) => table))
  })

  test('leaves out what the update itself creates and archives', () => {
    const transient = contractOf('c1', 'M:Deep', { data: { owner: 'alice' } })
    expect(changes(transaction(create(0, transient), exercise(1, transient, true)))).toEqual([])
  })

  test('does nothing for an exercise that consumes nothing', () => {
    expect(changes(transaction(exercise(0, contractOf('c1', 'M:Deep', {}), false)))).toEqual([])
  })

  test('indexes texts and times alone', () => {
    const odd = [{}, { data: null }, { data: 'x' }, { data: ['owner'] }, { data: { owner: null } }]
    for (const argument of odd) {
      const tables = changes(transaction(create(0, contractOf('c1', 'M:Deep', argument)))).map((c) => c.table)
      expect(tables).toEqual(['contracts', 'finders', 'finders'])
    }
    for (const endsAt of [null, 'soon', '2026-02-31T00:00:00Z', {}]) {
      const tables = changes(transaction(create(0, contractOf('c1', 'M:Timed', { endsAt })))).map(
        (c) => c.table,
      )
      expect(tables).toEqual(['contracts', 'finders', 'finders'])
    }
  })
})

function never(): never {
  throw new Error('nothing is looked up')
}

import { expect, test } from 'vitest'
import { blobOf } from '../../../src/ledger/daml/blob.ts'
import {
  consuming,
  defineTemplate,
  nonconsuming,
  type Template,
  templatesOf,
} from '../../../src/ledger/daml/template.ts'
import { contractId, list, party, record, text, unit, type ValueOf } from '../../../src/ledger/daml/type.ts'
import { contractChangesOf } from '../../../src/ledger/update.ts'
import { create, exercise, MemoryLedger, tree } from './memory-ledger.ts'
import { alice, bob, dso as carol, done, refusal } from './network.ts'

const testPackage = { name: 'test', id: '1'.repeat(64) }

const noteArgument = record({ author: party, readers: list(party), text })
const Note: Template<ValueOf<typeof noteArgument>> = {
  ...defineTemplate('Test:Note', {
    package: testPackage,
    argument: noteArgument,
    signatories: ({ author }) => [author, author],
    ensure: ({ text }) => text !== '',
  }),
  observers: ({ author, readers }) => [...readers, author],
}

const Note_Read = nonconsuming(Note, 'Note_Read', {
  argument: record({ reader: party }),
  controllers: (_, { reader }) => [reader],
  run: (_scope, { argument }) => argument.text,
})

const Note_Copy = nonconsuming(Note, 'Note_Copy', {
  argument: record({ reader: party }),
  controllers: (_, { reader }) => [reader],
  run: (scope, { argument }, { reader }) =>
    scope.create(Note, { author: reader, readers: [], text: argument.text }),
})

const Note_Replace = consuming(Note, 'Note_Replace', {
  argument: record({ text }),
  controllers: ({ argument: { author } }) => [author],
  run: (scope, { argument }, { text }) => scope.create(Note, { ...argument, text }),
})

const Note_ReplaceTwice = consuming(Note, 'Note_ReplaceTwice', {
  argument: unit,
  controllers: ({ argument: { author } }) => [author],
  run(scope, { argument }) {
    const once = scope.create(Note, argument)
    return scope.exercise(Note_Replace, once, { text: 'again' })
  },
})

const Note_ArchiveItself = consuming(Note, 'Note_ArchiveItself', {
  argument: unit,
  controllers: ({ argument: { author } }) => [author],
  run(scope, { contractId }) {
    scope.archive(Note, contractId)
    return {}
  },
})

const agentArgument = record({ principal: party, agent: party })
const Agent = defineTemplate('Test:Agent', {
  package: testPackage,
  argument: agentArgument,
  signatories: ({ principal, agent }) => [principal, agent],
})

const Agent_Write = nonconsuming(Agent, 'Agent_Write', {
  argument: record({ author: party, text }),
  controllers: ({ argument: { agent } }) => [agent],
  run: (scope, _agent, { author, text }) => scope.create(Note, { author, readers: [], text }),
})

const Agent_Fetch = nonconsuming(Agent, 'Agent_Fetch', {
  argument: record({ note: contractId }),
  controllers: ({ argument: { agent } }) => [agent],
  run: (scope, _agent, { note }) => scope.fetch(Note, note).argument.text,
})

const templates = templatesOf([
  {
    template: Note,
    choices: [Note_Read, Note_Copy, Note_Replace, Note_ReplaceTwice, Note_ArchiveItself],
  },
  { template: Agent, choices: [Agent_Write, Agent_Fetch] },
])

function noteBy(ledger: MemoryLedger, author: string, ...readers: readonly string[]) {
  done(ledger.submit({ actAs: [author] }, create(Note, { author, readers, text: 'hello' })))
  const note = ledger.list(Note).at(-1)
  if (note === undefined) throw new Error('no note')
  return note
}

function agentOf(ledger: MemoryLedger, principal: string, agent: string) {
  done(ledger.submit({ actAs: [principal, agent] }, create(Agent, { principal, agent })))
  const contract = ledger.list(Agent).at(-1)
  if (contract === undefined) throw new Error('no agent')
  return contract
}

function archive(contractId: string) {
  return { kind: 'exercise', template: Note.name, contractId, choice: 'Archive', argument: {} } as const
}

test('a created contract states its signatories, observers, time and package', () => {
  const ledger = new MemoryLedger(templates)
  const note = noteBy(ledger, alice, bob, alice, bob)
  expect(note).toMatchObject({
    templateId: `${testPackage.id}:Test:Note`,
    packageName: 'test',
    argument: { author: alice, readers: [bob, alice, bob], text: 'hello' },
    signatories: [alice],
    observers: [bob],
    createdAt: ledger.now,
  })
  expect(note.contractId).toMatch(/^00[0-9a-f]{64}ca111220[0-9a-f]{64}$/)
})

test('the precondition is looked at before the authority', () => {
  const command = create(Note, { author: alice, readers: [], text: '' })
  expect(refusal(new MemoryLedger(templates).submit({ actAs: [bob] }, command))).toBe(
    'TEMPLATE_PRECONDITION_VIOLATED: The precondition of Test:Note does not hold',
  )
})

test("a body has the signatories' authority and the controllers', and no other of the submitters", () => {
  const ledger = new MemoryLedger(templates)
  const { contractId } = agentOf(ledger, alice, bob)
  const write = (author: string) => exercise(Agent_Write, contractId, { author, text: 'by an agent' })
  expect(tree(ledger.submit({ actAs: [bob] }, write(alice)))).toEqual(['Agent_Write', '  create Note'])
  expect(refusal(ledger.submit({ actAs: [alice] }, write(alice)))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(refusal(ledger.submit({ actAs: [bob, carol] }, write(carol)))).toBe(
    `DAML_AUTHORIZATION_ERROR: create of Test:Note requires authorizers ${carol}, but only ${alice}, ${bob} were given`,
  )
})

test('a contract that the submitters cannot see does not exist for them, even inside of choice bodies', () => {
  const ledger = new MemoryLedger(templates)
  const { contractId } = noteBy(ledger, alice)
  const agent = agentOf(ledger, alice, bob)
  const hidden = `CONTRACT_NOT_FOUND: Contract could not be found with id ${contractId}`
  expect(refusal(ledger.submit({ actAs: [bob] }, exercise(Note_Read, contractId, { reader: bob })))).toBe(
    hidden,
  )
  expect(
    refusal(ledger.submit({ actAs: [bob] }, exercise(Agent_Fetch, agent.contractId, { note: contractId }))),
  ).toBe(hidden)
  const unknown = `00${'0'.repeat(64)}ca111220${'0'.repeat(64)}`
  expect(refusal(ledger.submit({ actAs: [bob] }, exercise(Note_Read, unknown, { reader: bob })))).toBe(
    `CONTRACT_NOT_FOUND: Contract could not be found with id ${unknown}`,
  )
})

test('a contract that is disclosed or may be read can be used', () => {
  const ledger = new MemoryLedger(templates)
  const note = noteBy(ledger, alice)
  const read = exercise(Note_Read, note.contractId, { reader: bob })
  done(ledger.submit({ actAs: [bob], disclosed: [note] }, read))
  done(ledger.submit({ actAs: [bob], readAs: [alice] }, read))
})

test('a disclosed blob is authentic or refused', () => {
  const ledger = new MemoryLedger(templates)
  const note = noteBy(ledger, alice)
  const other = noteBy(ledger, alice)
  const read = exercise(Note_Read, note.contractId, { reader: bob })
  const disclosing = (contractId: string, createdEventBlob: string) =>
    refusal(ledger.submit({ actAs: [bob], disclosed: [{ ...note, contractId, createdEventBlob }] }, read))
  const mismatch = `INVALID_ARGUMENT: The blob disclosed for ${note.contractId} is not of that contract`
  const [head, body] = [note.createdEventBlob.slice(0, 12), note.createdEventBlob.slice(12)]
  for (const blob of ['', 'x', 'CgMyLjE', head, body, `${head}AAAA`, other.createdEventBlob]) {
    expect(disclosing(note.contractId, blob)).toBe(mismatch)
  }
  const forged = Buffer.from(note.createdEventBlob, 'base64').toString('latin1').replace('hello', 'jello')
  expect(disclosing(note.contractId, Buffer.from(forged, 'latin1').toString('base64'))).toBe(
    `DISCLOSED_CONTRACT_AUTHENTICATION_FAILED: The blob disclosed for ${note.contractId} is not authentic`,
  )
})

test('a disclosed contract that has been archived is not found, and prevents nothing else', () => {
  const ledger = new MemoryLedger(templates)
  const note = noteBy(ledger, alice)
  done(ledger.submit({ actAs: [alice] }, archive(note.contractId)))
  const by = { actAs: [bob], disclosed: [note] }
  expect(refusal(ledger.submit(by, exercise(Note_Read, note.contractId, { reader: bob })))).toMatch(
    /^CONTRACT_NOT_FOUND: /,
  )
  done(ledger.submit(by, create(Note, { author: bob, readers: [], text: 'x' })))
})

test('the witnesses of a node are its informees and the informees of all nodes above it', () => {
  const ledger = new MemoryLedger(templates)
  const { contractId } = noteBy(ledger, alice, carol)
  const { nodes } = done(
    ledger.submit({ actAs: [bob], readAs: [alice] }, exercise(Note_Copy, contractId, { reader: bob })),
  )
  expect(nodes).toMatchObject([
    { kind: 'exercise', actingParties: [bob], witnesses: [alice, bob], observers: [carol] },
    { kind: 'create', contract: { signatories: [bob] }, witnesses: [alice, bob] },
  ])
})

test('nodes are numbered in pre-order, and each exercise knows the last below it', () => {
  const ledger = new MemoryLedger(templates)
  const first = noteBy(ledger, alice).contractId
  const second = noteBy(ledger, alice).contractId
  const done2 = done(
    ledger.submit(
      { actAs: [alice] },
      exercise(Note_ReplaceTwice, first, {}),
      exercise(Note_Read, second, { reader: alice }),
      create(Note, { author: alice, readers: [], text: 'x' }),
    ),
  )
  expect(tree(done2)).toEqual([
    'Note_ReplaceTwice',
    '  create Note',
    '  Note_Replace',
    '    create Note',
    'Note_Read',
    'create Note',
  ])
  expect(done2.nodes.map((node) => node.nodeId)).toEqual([0, 1, 2, 3, 4, 5])
  expect(
    done2.nodes.map((node) => (node.kind === 'exercise' ? node.lastDescendantNodeId : undefined)),
  ).toEqual([3, undefined, 3, undefined, 4, undefined])
})

test('a contract that a transaction makes and ends itself changes nothing that is active', () => {
  const ledger = new MemoryLedger(templates)
  const { contractId } = noteBy(ledger, alice)
  const { nodes } = done(ledger.submit({ actAs: [alice] }, exercise(Note_ReplaceTwice, contractId, {})))
  const { created, archived } = contractChangesOf(nodes)
  expect(archived).toEqual([contractId])
  expect(created.map(({ argument }) => argument['text'])).toEqual(['again'])
})

test('a contract is archived once in a transaction, by itself or by another command', () => {
  const ledger = new MemoryLedger(templates)
  const { contractId } = noteBy(ledger, alice)
  const gone = `CONTRACT_NOT_ACTIVE: ${contractId} was archived by the submission itself`
  expect(refusal(ledger.submit({ actAs: [alice] }, archive(contractId), archive(contractId)))).toBe(gone)
  expect(refusal(ledger.submit({ actAs: [alice] }, exercise(Note_ArchiveItself, contractId, {})))).toBe(gone)
  expect(ledger.list(Note)).toHaveLength(1)
})

test('all commands of a submission are done, or none', () => {
  const ledger = new MemoryLedger(templates)
  const { contractId } = noteBy(ledger, alice)
  const refused = ledger.submit(
    { actAs: [alice] },
    archive(contractId),
    create(Note, { author: bob, readers: [], text: 'x' }),
  )
  expect(refusal(refused)).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(ledger.list(Note)).toHaveLength(1)
})

test('Archive needs all signatories and no argument', () => {
  const ledger = new MemoryLedger(templates)
  const { contractId } = agentOf(ledger, alice, bob)
  const archive = {
    kind: 'exercise',
    template: Agent.name,
    contractId,
    choice: 'Archive',
    argument: null,
  } as const
  expect(refusal(ledger.submit({ actAs: [bob] }, archive))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(done(ledger.submit({ actAs: [alice, bob] }, archive)).nodes).toMatchObject([
    { choice: 'Archive', argument: {}, result: {}, consuming: true, actingParties: [alice, bob] },
  ])
})

test('a command that no ledger could execute is refused before any look-up', () => {
  const ledger = new MemoryLedger(templates)
  const by = { actAs: [alice] }
  const { contractId } = noteBy(ledger, alice)
  const sent = (change: object) =>
    refusal(ledger.submit(by, { ...exercise(Note_Read, contractId, { reader: alice }), ...change } as never))
  expect(refusal(ledger.submit({ actAs: [] }, archive(contractId)))).toBe(
    'INVALID_ARGUMENT: actAs names no party',
  )
  expect(refusal(ledger.submit(by))).toBe('INVALID_ARGUMENT: commands is empty')
  expect(sent({ template: 'Test:Nothing' })).toBe('INVALID_ARGUMENT: Unknown template "Test:Nothing"')
  expect(sent({ choice: 'toString' })).toBe('INVALID_ARGUMENT: Test:Note has no choice "toString"')
  expect(sent({ contractId: '00zz' })).toBe('INVALID_ARGUMENT: Expected a contract id, found "00zz"')
  expect(sent({ argument: null })).toBe('COMMAND_PREPROCESSING_FAILED: Missing field reader')
  expect(sent({ template: Agent.name, choice: 'Archive', argument: {} })).toBe(
    `DAML_INTERPRETATION_ERROR: ${contractId} is no contract of Test:Agent`,
  )
})

test('the same submission at the same place makes the same transaction, another place makes other ids', () => {
  const run = (notes: number) => {
    const ledger = new MemoryLedger(templates)
    return Array.from({ length: notes }, () => noteBy(ledger, alice))
  }
  expect(run(2)).toEqual(run(2))
  expect(new Set(run(3).map(({ contractId }) => contractId)).size).toBe(3)
})

test('two contracts that differ in anything have different blobs', () => {
  const contract = noteBy(new MemoryLedger(templates), alice, bob)
  const others = [
    { contractId: `00${'0'.repeat(64)}ca111220${'0'.repeat(64)}` },
    { templateId: `${'2'.repeat(64)}:Test:Note` },
    { packageName: 'other' },
    { argument: { ...contract.argument, text: 'jello' } },
    { signatories: [bob] },
    { observers: [] },
    { createdAt: contract.createdAt + 1 },
  ].map((change) => blobOf({ ...contract, ...change }))
  expect(new Set([blobOf(contract), ...others]).size).toBe(8)
  expect(blobOf(contract)).toBe(contract.createdEventBlob)
  expect(contract.createdEventBlob).toMatch(/^CgMyLjES[A-Za-z0-9+/]+=*$/)
})

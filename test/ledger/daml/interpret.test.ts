import { expect, test } from 'vitest'
import { type Interpretation, interpret } from '../../../src/registry/ledger/daml/interpret.ts'
import {
  archiving,
  consuming,
  defineTemplate,
  nonconsuming,
} from '../../../src/registry/ledger/daml/template.ts'
import { contractId, party, record, text, unit } from '../../../src/registry/ledger/daml/type.ts'
import { contractIdOf } from '../../../src/registry/ledger/identifiers.ts'
import { type Command, create, exercise } from '../../../src/registry/ledger/ledger.ts'
import { type Contract, contractChangesOf } from '../../../src/registry/ledger/update.ts'
import type { Party } from '../../../src/registry/ledger/value.ts'
import { submission } from '../submissions.ts'

const [alice, bob] = [`alice::1220${'a'.repeat(64)}`, `bob::1220${'b'.repeat(64)}`]
const testPackage = { name: 'test', id: '1'.repeat(64) }

const Note = defineTemplate('Test:Note', {
  package: testPackage,
  argument: record({ author: party, text }),
  signatories: ({ author }) => [author, author],
})

const Note_Copy = nonconsuming(Note, 'Note_Copy', {
  argument: record({ reader: party }),
  controllers: (_, { reader }) => [reader],
  run: (scope, { argument: { text } }, { reader }) => scope.create(Note, { author: reader, text }),
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

const Agent = defineTemplate('Test:Agent', {
  package: testPackage,
  argument: record({ principal: party, agent: party }),
  signatories: ({ principal, agent }) => [principal, agent],
})

const Agent_Write = nonconsuming(Agent, 'Agent_Write', {
  argument: record({ author: party }),
  controllers: ({ argument: { agent } }) => [agent],
  run: (scope, _agent, { author }) => scope.create(Note, { author, text: 'x' }),
})

const Agent_Read = nonconsuming(Agent, 'Agent_Read', {
  argument: record({ note: contractId }),
  controllers: ({ argument: { agent } }) => [agent],
  run: (scope, _agent, { note }) => scope.fetch(Note, note).argument.text,
})

class Stage {
  readonly #active = new Map<string, Contract>()
  #count = 0

  submit(actAs: readonly Party[], commands: readonly Command[], disclosed: readonly Contract[] = []) {
    const outcome = interpret(submission(actAs, commands, { disclosed }), {
      now: 1_000_000,
      contractIdAt: () => contractIdOf('test', this.#count++),
      contract: (id) => this.#active.get(id),
    })
    if (outcome.kind === 'refused') return outcome
    const { created, archived } = contractChangesOf(outcome.nodes)
    for (const id of archived) this.#active.delete(id)
    for (const contract of created) this.#active.set(contract.contractId, contract)
    return outcome
  }

  created(actAs: readonly Party[], command: Command): Contract {
    const [node] = (this.submit(actAs, [command]) as Interpretation).nodes
    return (node as { readonly contract: Contract }).contract
  }

  noteBy(author: Party): Contract {
    return this.created([author], create(Note, { author, text: 'hello' }))
  }

  get size(): number {
    return this.#active.size
  }
}

test('a created contract states its signatories, time and package', () => {
  expect(new Stage().noteBy(alice)).toMatchObject({
    templateId: `${testPackage.id}:Test:Note`,
    packageName: 'test',
    signatories: [alice],
    createdAt: 1_000_000,
    createdEventBlob: expect.stringMatching(/^CgMyLjES[A-Za-z0-9+/]+=*$/),
  })
})

test("a body has the signatories' authority and the controllers', and no other of the submitters", () => {
  const stage = new Stage()
  const { contractId: agent } = stage.created([alice, bob], create(Agent, { principal: alice, agent: bob }))
  expect(stage.submit([bob], [exercise(Agent_Write, agent, { author: alice })]).kind).toBe('transaction')
  for (const actAs of [[alice], [alice, 'carol::1220']])
    expect(stage.submit(actAs, [exercise(Agent_Write, agent, { author: 'carol::1220' })])).toMatchObject({
      code: 'DAML_AUTHORIZATION_ERROR',
    })
})

test('a contract that the submitters cannot see does not exist for them, unless it is disclosed', () => {
  const stage = new Stage()
  const note = stage.noteBy(alice)
  const copy = exercise(Note_Copy, note.contractId, { reader: bob })
  const own = stage.created([bob], create(Agent, { principal: bob, agent: bob }))
  const read = exercise(Agent_Read, own.contractId, { note: note.contractId })
  for (const command of [copy, read])
    expect(stage.submit([bob], [command])).toMatchObject({ code: 'CONTRACT_NOT_FOUND' })
  expect(stage.submit([bob], [copy], [note]).kind).toBe('transaction')
  expect(stage.submit([bob], [read], [note])).toMatchObject({ code: 'DAML_AUTHORIZATION_ERROR' })
})

test('the witnesses of a node are its informees and the informees of all nodes above it', () => {
  const stage = new Stage()
  const note = stage.noteBy(alice)
  expect(stage.submit([bob], [exercise(Note_Copy, note.contractId, { reader: bob })], [note])).toMatchObject({
    nodes: [
      { kind: 'exercise', actingParties: [bob], witnesses: [alice, bob] },
      { kind: 'create', contract: { signatories: [bob] }, witnesses: [alice, bob] },
    ],
  })
})

test('nodes are numbered in pre-order, and each exercise knows the last below it', () => {
  const stage = new Stage()
  const { contractId } = stage.noteBy(alice)
  const commands = [exercise(Note_ReplaceTwice, contractId, {}), create(Note, { author: alice, text: 'x' })]
  const { nodes } = stage.submit([alice], commands) as Interpretation
  expect(nodes).toMatchObject([
    { choice: 'Note_ReplaceTwice', nodeId: 0, lastDescendantNodeId: 3 },
    { kind: 'create', nodeId: 1 },
    { choice: 'Note_Replace', nodeId: 2, lastDescendantNodeId: 3 },
    { kind: 'create', nodeId: 3 },
    { kind: 'create', nodeId: 4 },
  ])
  const { created, archived } = contractChangesOf(nodes)
  expect(archived).toEqual([contractId])
  expect(created.map(({ argument }) => argument['text'])).toEqual(['again', 'x'])
})

test('a contract is archived once in a transaction, of which all commands are done, or none', () => {
  const stage = new Stage()
  const { contractId } = stage.noteBy(alice)
  const archive = exercise(archiving(Note), contractId, {})
  expect(stage.submit([alice], [archive, archive])).toMatchObject({ code: 'CONTRACT_NOT_ACTIVE' })
  expect(stage.size).toBe(1)
})

test('a contract of another template, or with another argument, is refused', () => {
  const stage = new Stage()
  const { contractId } = stage.noteBy(alice)
  expect(stage.submit([alice], [exercise(Agent_Write, contractId, { author: alice })])).toMatchObject({
    code: 'DAML_INTERPRETATION_ERROR',
  })
  expect(stage.submit([alice], [exercise(Note_Copy, contractId, { reader: '' })])).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'Expected party at reader, found ""',
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { interpret } from '../../../src/ledger/daml/interpret.ts'
import { templates } from '../../../src/ledger/daml/splice/templates.ts'
import { choiceNames, coinOf, problemsOf } from './audit.ts'
import { anyMoves, contestedNames, honestMoves, type Move, makeAny, makeHonest, ownersOf } from './moves.ts'
import { alice, Network } from './network.ts'

/** A name is registered already, so that random moves often come to a renewal. */
function begun(): Network {
  const network = new Network()
  network.register(alice, contestedNames[0] as string)
  return network
}

function played(moves: readonly Move[]): Network {
  const network = begun()
  for (const move of moves) makeAny(network, move)
  return network
}

const runs = { numRuns: 100, interruptAfterTimeLimit: 15_000 }

test('no sequence of commands makes an event that is not authorized, or seen by others than it should be', () => {
  fc.assert(
    fc.property(anyMoves, (moves) => {
      expect(problemsOf(played(moves).ledger)).toEqual([])
    }),
    runs,
  )
})

test('coin is conserved: all coin was minted and not burned', () => {
  fc.assert(
    fc.property(anyMoves, (moves) => {
      const { there, due } = coinOf(played(moves).ledger)
      expect(there).toBe(due)
    }),
    runs,
  )
})

test('a name has one owner as long as the DSO collects no payment for one that is taken', () => {
  fc.assert(
    fc.property(honestMoves, (moves) => {
      const network = begun()
      for (const move of moves) {
        makeHonest(network, move)
        for (const name of contestedNames) expect(ownersOf(network, name).length).toBeLessThanOrEqual(1)
      }
    }),
    runs,
  )
})

test('nothing is used that is no business of the submitters and was not shown to them', () => {
  fc.assert(
    fc.property(anyMoves, (moves) => {
      const network = played(moves)
      const shown = new Set(network.reference.map(({ contractId }) => contractId))
      for (const { actAs, inputs } of network.ledger.history) {
        for (const { contractId, signatories, templateId } of inputs.values()) {
          const reference = /:(AnsRules|AmuletRules|OpenMiningRound)$/.test(templateId)
          if (reference || shown.has(contractId)) continue
          expect(signatories.some((party) => actAs.includes(party))).toBe(true)
        }
      }
    }),
    runs,
  )
})

test('the sequences reach every choice that there is', () => {
  const reached = new Set<string>()
  const once = fc.sample(anyMoves, { seed: 20260501, numRuns: 200 })
  for (const moves of once) {
    for (const { nodes } of played(moves).ledger.history) {
      for (const node of nodes) if (node.kind === 'exercise') reached.add(node.choice)
    }
  }
  expect([...reached].sort()).toEqual([...choiceNames].sort())
})

test('a refusal or a transaction is all that comes of any argument', () => {
  const commands = fc.record({
    kind: fc.constantFrom('create' as const, 'exercise' as const),
    template: fc.constantFrom(...templates.keys(), 'x'),
    choice: fc.constantFrom(...choiceNames, '__proto__'),
    contractId: fc.oneof(fc.string(), fc.constant(`00${'a'.repeat(64)}`)),
    argument: fc.jsonValue({ maxDepth: 4 }),
  })
  const context = { now: 0, seed: '', firstNode: 0, contract: () => undefined }
  fc.assert(
    fc.property(commands, (command) => {
      const submission = {
        commandId: '',
        userId: '',
        workflowId: '',
        actAs: ['alice::1220'],
        readAs: [],
        disclosed: [],
        commands: [command as never],
      }
      expect(interpret(submission, context, templates).kind).toBe('refused')
    }),
    { numRuns: 2000 },
  )
})

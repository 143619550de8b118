import { expect, test } from 'vitest'
import { interpret } from '../../../src/ledger/daml/interpret.ts'
import { AnsEntryContext } from '../../../src/ledger/daml/splice/ans.ts'
import { create } from './memory-ledger.ts'
import { alice, Network } from './network.ts'

test('an error from a defect of the interpreter is not taken for a refusal', () => {
  const context = {
    now: 0,
    seed: '',
    firstNode: 0,
    contract: () => {
      throw new TypeError('a defect')
    },
  }
  const network = new Network()
  const disclosed = network.reference.map(({ contractId, createdEventBlob }) => ({
    contractId,
    createdEventBlob,
  }))
  const submission = {
    commandId: '',
    userId: '',
    workflowId: '',
    actAs: [alice],
    readAs: [],
    commands: [create(AnsEntryContext, {} as never)],
    disclosed,
  }
  expect(() => interpret(submission, context, new Map())).toThrow('a defect')
})

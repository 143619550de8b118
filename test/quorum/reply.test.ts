import { expect, test } from 'vitest'
import { faultKinds } from '../../src/base/errors/fault-kinds.ts'
import { isOwnLimit, type Reply } from '../../src/core/quorum/reply.ts'

test('only limits of this daemon are not blamed on a super validator', () => {
  const own = faultKinds.filter((fault) => isOwnLimit({ kind: 'fault', fault }))
  expect(own).toEqual(['busy', 'held-back'])
  const others: Reply[] = [
    { kind: 'value', vote: 'busy' },
    { kind: 'refusal', vote: 'busy' },
    { kind: 'abstention', reason: 'busy' },
  ]
  expect(others.map(isOwnLimit)).toEqual([false, false, false])
})

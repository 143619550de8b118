import { expect, test } from 'vitest'
import { milliseconds } from '../../src/base/lib/clock.ts'
import { LedgerUnavailable } from '../../src/registry/ledger/ledger.ts'
import { eventually } from '../support/eventually.ts'
import { openNetwork } from './network.ts'

test('the automation acts by itself: on payments as they come, and every half minute on what is due', async () => {
  await using net = await openNetwork()
  const alice = await net.user('alice')
  net.automation.start()
  await net.pay(alice, 'alice')
  await eventually(async () => (await net.holders('alice')).length === 1)
  await eventually(() => net.clock.waiting === 1)
  net.clock.advance(milliseconds('90d') + 1)
  await eventually(async () => (await net.leftovers()).length === 0)
})

test('after a failure the automation goes on with its other duties, says so, and tries again', async () => {
  const fault = { now: false }
  await using net = await openNetwork({
    submit: (real) => async (submission) => {
      if (fault.now && submission.commandId.startsWith('collect-'))
        throw new LedgerUnavailable('The disk is full.')
      return real(submission)
    },
  })
  const alice = await net.user('alice')
  await net.pay(alice, 'alice')
  fault.now = true
  await net.pass('11m')
  expect(net.warnings[0]).toMatchObject({
    duty: 'initial payments',
    message: 'automation could not do its duty',
    err: { message: 'The disk is full.' },
  })
  expect((await net.rules.get()).rounds.map(({ argument }) => argument.round.number)).toEqual(['1', '2', '3'])
  fault.now = false
  await net.automation.runUntilIdle()
  expect(await net.holders('alice')).toEqual([alice.party])
})

test('a submission that the ledger refuses is logged, and does not keep others from being made', async () => {
  await using net = await openNetwork({
    submit: (real) => async (submission) =>
      submission.commandId.startsWith('expire-entry:')
        ? { kind: 'refused', code: 'CONTRACT_NOT_FOUND', message: 'gone' }
        : real(submission),
  })
  await net.register(await net.user('alice'), 'alice')
  await net.pass('91d')
  expect(net.warnings).toContainEqual({
    duty: 'expired entries',
    code: 'CONTRACT_NOT_FOUND',
    reason: 'gone',
    message: 'the ledger refused what automation submitted',
  })
  expect(await net.leftovers()).toEqual(['AnsEntry'])
})

test('an automation that ends waits for what is under way, and begins nothing else', async () => {
  const gate = Promise.withResolvers<void>()
  const submitted: string[] = []
  await using net = await openNetwork({
    submit: (real) => async (submission) => {
      submitted.push(submission.commandId)
      if (submission.commandId.startsWith('collect-')) await gate.promise
      return real(submission)
    },
  })
  const alice = await net.user('alice')
  await net.pay(alice, 'alice')
  net.clock.advance(milliseconds('11m'))
  submitted.length = 0
  const running = net.automation.runUntilIdle()
  await eventually(() => submitted.length > 0)
  let isOver = false
  const over = net.automation[Symbol.asyncDispose]().then(() => {
    isOver = true
  })
  await net.ledger.offsetAt(0)
  expect(isOver).toBe(false)
  gate.resolve()
  await Promise.all([over, running])
  expect(submitted).toHaveLength(1)
  expect(await net.holders('alice')).toEqual([alice.party])
})

import { describe, expect, test } from 'vitest'
import { byDso } from '../../src/automation/dso-submissions.ts'
import type { Duty } from '../../src/automation/duty.ts'
import { Automation } from '../../src/automation/loop.ts'
import type { Submission } from '../../src/ledger/command.ts'
import { AnsEntry } from '../../src/ledger/daml/splice/ans.ts'
import { timeOf } from '../../src/ledger/daml/time.ts'
import { type Ledger, LedgerUnavailable, type Outcome } from '../../src/ledger/ledger.ts'
import { type Transaction, touchedBy } from '../../src/ledger/update.ts'
import { milliseconds } from '../../src/lib/clock.ts'
import { type Logger, silentLogger } from '../../src/telemetry/logger.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { cid, contract, dso, epoch, round } from './contracts.ts'

const transaction: Transaction = {
  kind: 'transaction',
  offset: 1,
  updateId: '1220',
  commandId: '',
  userId: '',
  actAs: [],
  workflowId: '',
  effectiveAt: epoch,
  recordTime: epoch,
  synchronizerId: '',
  nodes: [],
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

type Told = Parameters<Ledger['watch']>[0]

function stage(duties: readonly Duty[]) {
  const clock = new ManualClock()
  const told = new Set<Told>()
  const submitted: string[] = []
  const logged: string[] = []
  const state: { outcome: () => Promise<Outcome> } = {
    outcome: async () => ({ kind: 'committed', transaction, duplicate: false }),
  }
  const ledger = {
    async submit(submission: Submission): Promise<Outcome> {
      submitted.push(submission.commandId)
      await turn()
      return state.outcome()
    },
    watch(one: Told) {
      told.add(one)
      return () => told.delete(one)
    },
  }
  const log = (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`)
  const logger: Logger = { ...silentLogger, warn: log, error: log }
  const automation = new Automation(duties, { ledger, clock, logger })
  return {
    automation,
    clock,
    submitted,
    logged,
    state,
    told,
    tell: (update: Transaction) => {
      for (const one of told) one(touchedBy(update.nodes), update.offset)
    },
  }
}

function duty(name: string, left: string[], wokenBy: readonly string[] = []): Duty & { looks: number } {
  const made = {
    name,
    wokenBy,
    looks: 0,
    async *batches() {
      made.looks++
      const next = left.shift()
      if (next !== undefined) yield [byDso(dso, next, [])]
    },
  }
  return made
}

const entryCreated: Transaction = {
  ...transaction,
  nodes: [
    {
      kind: 'create',
      nodeId: 0,
      witnesses: [],
      contract: contract(AnsEntry, {
        user: dso,
        dso,
        name: 'x',
        url: '',
        description: '',
        expiresAt: timeOf(epoch),
      }),
    },
  ],
}
const roundCreated: Transaction = {
  ...transaction,
  nodes: [{ kind: 'create', nodeId: 0, witnesses: [], contract: round(1, epoch) }],
}

describe('automation', () => {
  test('does its duties in turn until nothing is left', async () => {
    const { automation, submitted } = stage([duty('a', ['a1', 'a2', 'a3']), duty('b', ['b1'])])
    await automation.runUntilIdle()
    expect(submitted).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  test('looks at everything at the start and on request, and at nothing once it is disposed of', async () => {
    const one = duty('a', [])
    const { automation, told } = stage([one])
    automation.start()
    await automation.runUntilIdle()
    const before = one.looks
    await automation.runDuties()
    expect(one.looks).toBe(before + 1)
    await automation[Symbol.asyncDispose]()
    await automation.runDuties()
    expect({ looks: one.looks, told: told.size }).toEqual({ looks: before + 1, told: 0 })
  })

  test('looks at everything again half a minute after it has looked, until it is disposed of', async () => {
    const one = duty('a', [])
    const { automation, clock } = stage([one])
    automation.start()
    await eventually(() => clock.waiting === 1)
    clock.advance(milliseconds('30s'))
    await eventually(() => clock.waiting === 1)
    expect(one.looks).toBe(2)
    await automation[Symbol.asyncDispose]()
    expect(clock.waiting).toBe(0)
  })

  test('looks at once at what a new contract is for, and at nothing else', async () => {
    const entries = duty('entries', [], [AnsEntry.name])
    const others = duty('others', [])
    const { automation, tell, told } = stage([entries, others])
    automation.start()
    await automation.runUntilIdle()
    const before = [entries.looks, others.looks]
    tell(roundCreated)
    tell(entryCreated)
    while (entries.looks === before[0]) await turn()
    expect([entries.looks, others.looks]).toEqual([(before[0] ?? 0) + 1, before[1]])
    await automation[Symbol.asyncDispose]()
    expect(told.size).toBe(0)
  })

  test('is not kept from its other duties by one that never ends', async () => {
    const endless: Duty = {
      name: 'endless',
      wokenBy: [],
      async *batches() {
        yield [byDso(dso, cid(), [])]
      },
    }
    const last = duty('last', ['done'])
    const { automation, submitted } = stage([endless, last])
    await automation.runUntilIdle()
    await automation[Symbol.asyncDispose]()
    expect(submitted).toContain('done')
  })

  test('goes on after a refusal and a failure, says so, and tries again when it looks again', async () => {
    const { automation, submitted, logged, state } = stage([
      {
        name: 'a',
        wokenBy: [],
        batches: async function* () {
          yield [byDso(dso, 'again', [])]
        },
      },
      duty('b', ['b1']),
    ])
    state.outcome = async () => ({ kind: 'refused', code: 'CONTRACT_NOT_FOUND', message: 'gone' })
    await automation.runUntilIdle()
    expect(submitted).toEqual(['again', 'b1'])
    expect(logged).toEqual([
      'the ledger refused what automation submitted {"duty":"a","code":"CONTRACT_NOT_FOUND","reason":"gone"}',
      'the ledger refused what automation submitted {"duty":"b","code":"CONTRACT_NOT_FOUND","reason":"gone"}',
    ])
    state.outcome = () => Promise.reject(new LedgerUnavailable('The disk is full.'))
    await automation.runUntilIdle()
    expect(logged.at(-1)).toContain('automation could not do its duty')
    state.outcome = async () => ({ kind: 'committed', transaction, duplicate: true })
    await automation.runUntilIdle()
    expect(submitted).toEqual(['again', 'b1', 'again', 'again'])
  })

  test('waits at its end for what is under way', async () => {
    const { automation, state, submitted } = stage([duty('a', ['a1', 'a2'])])
    const gate = Promise.withResolvers<Outcome>()
    state.outcome = () => gate.promise
    const settled = automation.runUntilIdle()
    while (submitted.length === 0) await turn()
    let isDone = false
    const done = automation[Symbol.asyncDispose]().then(() => {
      isDone = true
    })
    await turn()
    expect(isDone).toBe(false)
    gate.resolve({ kind: 'committed', transaction, duplicate: false })
    await Promise.all([done, settled])
    expect(submitted).toEqual(['a1'])
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fault, nodeFaultKinds } from '../../src/localnet/faults.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { soonerThan } from '../support/eventually.ts'
import { nothingKept, type Question, questionsAbout, saidIn } from './questions.ts'

const mebi = 1024 * 1024

/** Kinds of faults that require options, or that would take too long with the default options. */
const tuned: Partial<Record<string, Fault>> = {
  status: { kind: 'status', code: 410 },
  'gzip-bomb': { kind: 'gzip-bomb', bytes: 5 * mebi, only: ['ans-entries'] },
}

/**
 * Has every kind of fault, some in several forms. The kinds that make the daemon ask a node less often for a while come
 * last.
 */
const faults: readonly Fault[] = [
  { kind: 'garble', as: 'utf-8' },
  { kind: 'garble', as: 'half' },
  { kind: 'skew', by: -120_000 },
  { kind: 'lag', by: 3_600_000 },
  { kind: 'lie', alone: true },
  { kind: 'status', code: 404, error: 'No ans entry found for name: alice.unverified.cns' },
  { kind: 'status', code: 404, error: 'No DsoRules contract found' },
  { kind: 'status', code: 422, error: 'no' },
  { kind: 'status', code: 200, error: 'no' },
  ...nodeFaultKinds
    .toReversed()
    .filter((kind) => kind !== 'rate-limit')
    .map((kind) => tuned[kind] ?? ({ kind } as Fault)),
  { kind: 'truncate', framing: 'chunked' },
  { kind: 'huge', framing: 'chunked', bytes: 5 * mebi },
  { kind: 'gzip-bomb', bytes: 100_000 },
  { kind: 'reset', after: 'half' },
  { kind: 'hang', after: 'half' },
  { kind: 'rate-limit' },
]

/**
 * After these faults, the daemon may wait before it asks the node again: the node is unreachable, has too many open
 * asks, or has requested a pause.
 */
const holdsBack: ReadonlySet<string> = new Set([
  'refuse',
  'hang',
  'delay',
  'drip',
  'reset',
  'truncate',
  'huge',
  'rate-limit',
])

const requestTimeoutMs = 4_000

export interface FaultyNetwork {
  readonly superValidators: number
  /** The number of super validators with a fault. */
  readonly f: number
  readonly fanout: 'economical' | 'all'
}

/** Registers a test for each fault. In each, `f` super validators have the fault, and all answers must be true. */
export function answersStayTrue({ superValidators, f, fanout }: FaultyNetwork): void {
  let stage: Stage<undefined>
  let questions: readonly Question[]
  let faulty: readonly string[]

  beforeAll(async () => {
    const config = {
      'scanClient.fanout': fanout,
      'scanClient.requestTimeout': `${requestTimeoutMs}ms`,
      ...nothingKept,
    }
    stage = await startLiveStage({ superValidators, config })
    faulty = Array.from({ length: f }, (_, at) => stage.names[3 * at] as string)
    questions = questionsAbout(stage.localnet, Date.now())
  })

  afterAll(() => stage[Symbol.asyncDispose]())

  function asksOf(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + stage.localnet.asks(name), 0)
  }

  async function everyAnswerIsTrue(): Promise<void> {
    for (const { what, path, options, status, truth } of questions) {
      const heard = await soonerThan(requestTimeoutMs / 2, stage.get(path, options))
      expect({ what, ...saidIn(heard) }).toEqual({ what, status, truth })
    }
  }

  test.each(faults.map((fault) => [JSON.stringify(fault), fault] as const))(
    '%s changes no answer and keeps no caller waiting',
    async (_json, fault) => {
      await stage.fault(faulty, fault)
      try {
        const before = asksOf(faulty)
        await everyAnswerIsTrue()
        if (fanout === 'all' && !holdsBack.has(fault.kind)) expect(asksOf(faulty)).toBeGreaterThan(before)
      } finally {
        await stage.fault(faulty, undefined)
      }
    },
  )

  test('faults of different kinds at once change no answer', async () => {
    const mixed: readonly Fault[] = [
      { kind: 'lie' },
      { kind: 'hang' },
      { kind: 'lag' },
      { kind: 'rate-limit' },
    ]
    for (const [at, name] of faulty.entries()) await stage.fault([name], mixed[at])
    await everyAnswerIsTrue()
    await stage.fault(faulty, undefined)
  })
}

import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { canonicalJson, type Json } from '../../src/base/lib/canonical-json.ts'
import { isOwnLimit } from '../../src/core/quorum/reply.ts'
import type { Question } from '../../src/core/reads/read.ts'
import { reads } from '../../src/core/reads/table.ts'
import { Ballots } from '../../src/core/scan/ballots.ts'
import { JudgeFailed, JudgeThread } from '../../src/core/scan/judge-thread.ts'
import { comparisonOf, judgeBody, valueIn } from '../../src/core/scan/judgement.ts'
import { samples } from '../reads/samples.ts'
import { ManualClock } from '../support/manual-clock.ts'

const shared = new JudgeThread({ clock: new ManualClock() })
afterAll(() => shared[Symbol.asyncDispose]())

const page: Question = { read: reads.getUpdateHistoryV2, params: { body: '{"page_size":1000}' } }
const [update] = samples.getUpdateHistoryV2.reply.transactions

/** The updates are a second apart. The id of each update ends with `length` zeros. */
function pageOf(count: number, length = 2_000, first = 0): Buffer {
  const transactions = Array.from({ length: count }, (_, at) => ({
    ...update,
    update_id: `1220${first + at}${'0'.repeat(length)}`,
    record_time: new Date(Date.UTC(2026, 0, 1) + (first + at) * 1000).toISOString().replace('.000Z', 'Z'),
  }))
  return Buffer.from(JSON.stringify({ transactions }))
}

describe('a long body', () => {
  test('is judged on its thread as it would be judged here', async () => {
    const bytes = pageOf(200)
    const here = judgeBody(page, bytes)
    const { value: _, ...judgement } = here as Extract<typeof here, { kind: 'value' }>
    expect(await shared.judge(page, bytes, 'sv')).toMatchObject(judgement)
    expect(await shared.compare(page, bytes, 'sv')).toEqual(comparisonOf(page.read, valueIn(page, bytes)))
  })

  test('is printed in parts as they would be printed here', async () => {
    const bytes = pageOf(200)
    const own = new Map([0, 1, 2].map((at) => [`own ${at}`, '12ab']))
    const { body } = await shared.print(page, [bytes], { on: 'history', length: 3, own })
    expect(canonicalJson(JSON.parse(body.toString()) as Json)).toBe(
      canonicalJson(JSON.parse(pageOf(3).toString()) as Json),
    )
  })

  test('is left whole to the caller', async () => {
    const bytes = pageOf(200)
    const copy = Buffer.from(bytes)
    await shared.judge(page, bytes, 'sv')
    expect(bytes.equals(copy)).toBe(true)
  })
})

describe('votes on long bodies', () => {
  const hearAll = (bodies: readonly Buffer[]) => {
    const ballots = new Ballots(page, { judge: { thread: shared, nameOf: String } })
    const heard = bodies.map((bytes, voter) => ballots.hear(voter, 200, bytes))
    return { ballots, replies: Promise.all(heard).then((all) => all.map(({ reply }) => reply)) }
  }

  test('of bodies that are sent alike are counted together while the first is still judged', async () => {
    const { ballots, replies } = hearAll([pageOf(200), pageOf(200), pageOf(200)])
    await replies
    expect(ballots.statement('0').bodies.map(({ voters }) => voters)).toEqual([[0, 1, 2]])
  })
})

/**
 * `latest` is the thread that got the latest job. While `ends` is true, every job terminates its thread at once.
 * `cpuUsage` replaces what threads tell of their processor time, if it is set.
 */
const busy: {
  latest?: Worker
  ends: boolean
  cpuUsage?: Worker['cpuUsage'] | undefined
  posted?: () => void
} = { ends: false }
const { postMessage: post, cpuUsage } = Worker.prototype
beforeAll(() => {
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...given) {
    post.apply(this, given)
    busy.latest = this
    busy.posted?.()
    if (busy.ends) void this.terminate()
  })
  vi.spyOn(Worker.prototype, 'cpuUsage').mockImplementation(function (this: Worker) {
    return (busy.cpuUsage ?? cpuUsage).call(this)
  })
})
afterEach(() => {
  busy.ends = false
  busy.cpuUsage = undefined
})
afterAll(() => vi.restoreAllMocks())

/** Resolves when a thread gets the next body. A long body is copied for it in several turns of the event loop. */
function posted(): Promise<void> {
  return new Promise((resolve) => {
    busy.posted = resolve
  })
}

/** Makes a thread tell that it has used this much processor time. */
function worked(ms: number): Worker['cpuUsage'] {
  return async () => ({ user: (ms - 1) * 1000, system: 1000 })
}

describe('a thread that is terminated', () => {
  test('is replaced, whether it was idle or busy, and every body is judged', async () => {
    await using thread = new JudgeThread({ clock: new ManualClock() })
    // 1 ends the thread while the thread is busy, 0 while the thread is idle. The digits contain all eight sequences of
    // three ends.
    for (const isBusy of [...'0001011100'].map((digit) => digit === '1')) {
      const judging = thread.judge(page, pageOf(100), 'a')
      if (!isBusy) await judging
      const ending = (busy.latest as Worker).terminate()
      const next = thread.judge(page, pageOf(100), 'b')
      expect(await judging).toMatchObject({ kind: 'value' })
      await ending
      expect(await next).toMatchObject({ kind: 'value' })
    }
  })

  test('twice during one body is reported twice, and takes no more bodies with it than that one', async () => {
    const failures: unknown[] = []
    await using thread = new JudgeThread({ clock: new ManualClock(), failed: (why) => failures.push(why) })
    busy.ends = true
    const first = thread.print(page, [pageOf(100)], { on: 'history', length: 3 })
    await expect(first).rejects.toMatchObject({ name: 'JudgeFailed', blame: 'daemon' })
    expect(failures).toEqual([new Error('the thread ended'), new Error('the thread ended')])
    busy.ends = false
    expect(await thread.judge(page, pageOf(100), 'b')).toMatchObject({ kind: 'value' })
  })
})

describe('the thread', () => {
  test('takes the bodies of each super validator in turn, however many one of them sends', async () => {
    const order: string[] = []
    const judge = (who: string, name: string) =>
      shared.judge(page, pageOf(100), who).then(() => order.push(name))
    await Promise.all([
      ...Array.from({ length: 8 }, (_, at) => judge('sv-10', `liar ${at}`)),
      judge('sv-11', 'honest one'),
      judge('sv-12', 'honest two'),
    ])
    expect(order.slice(0, 4)).toEqual(['liar 0', 'liar 1', 'honest one', 'honest two'])
  })

  test('takes those first whose bodies took least time, until that is long ago', async () => {
    const clock = new ManualClock()
    await using thread = new JudgeThread({ clock })
    const order: string[] = []
    const judge = (who: string, name: string) =>
      thread.judge(page, pageOf(100), who).then(() => order.push(name))
    const costly = judge('sv-0', 'costly')
    clock.advance(5_000)
    await costly
    await Promise.all([
      judge('sv-1', 'first'),
      judge('sv-0', 'of the costly one'),
      judge('sv-2', 'second'),
      judge('sv-1', 'third'),
    ])
    expect(order).toEqual(['costly', 'first', 'second', 'third', 'of the costly one'])
    clock.advance(60 * 60_000)
    await Promise.all([judge('sv-3', 'now'), judge('sv-0', 'as good as new'), judge('sv-1', 'last')])
    expect(order.slice(5)).toEqual(['now', 'as good as new', 'last'])
  })

  test('forgets no super validator when the roster changes, and takes no other for it', async () => {
    const clock = new ManualClock()
    await using thread = new JudgeThread({ clock })
    const order: string[] = []
    const hear = async (roster: readonly string[], voter: number) => {
      const nameOf = (at: number) => roster[at] as string
      const ballots = new Ballots(page, { judge: { thread, nameOf } })
      await ballots.hear(voter, 200, pageOf(100))
      order.push(nameOf(voter))
    }
    const costly = hear(['costly', 'a', 'b'], 0)
    clock.advance(5_000)
    await costly
    const next = ['a', 'costly', 'b', 'c']
    const busy = hear(next, 2)
    await Promise.all([busy, hear(next, 1), hear(next, 0), hear(next, 3)])
    expect(order).toEqual(['costly', 'b', 'a', 'c', 'costly'])
  })

  test('that a body has kept for too long ends, and the next body gets another', async () => {
    const clock = new ManualClock()
    const failures: unknown[] = []
    await using thread = new JudgeThread({ clock, failed: (why) => failures.push(why) })
    const slow = thread.judge(page, pageOf(1000, 20_000), 'sv-0')
    const next = thread.judge(page, pageOf(100), 'sv-1')
    await posted()
    busy.cpuUsage = worked(5_000)
    clock.advance(10_000)
    await expect(slow).rejects.toMatchObject({ name: 'JudgeFailed', blame: 'body' })
    expect(await next).toMatchObject({ kind: 'value' })
    expect(failures).toEqual([])
  })

  test('judges a body again on another thread if this machine paused', async () => {
    const clock = new ManualClock()
    await using thread = new JudgeThread({ clock })
    const judging = thread.judge(page, pageOf(1000, 20_000), 'sv-0')
    await posted()
    const first = busy.latest
    busy.cpuUsage = worked(4_999)
    clock.advance(10_000)
    expect(await judging).toMatchObject({ kind: 'value' })
    expect(busy.latest).not.toBe(first)
  })

  test('counts only the processor time of this body, and not that of the bodies before it', async () => {
    const clock = new ManualClock()
    await using thread = new JudgeThread({ clock })
    await thread.judge(page, pageOf(100), 'sv-0')
    busy.cpuUsage = worked(3_600_000)
    const judging = thread.judge(page, pageOf(1000, 20_000), 'sv-0')
    await posted()
    clock.advance(10_000)
    expect(await judging).toMatchObject({ kind: 'value' })
  })

  test('is replaced if it does not tell how much it worked', async () => {
    const clock = new ManualClock()
    await using thread = new JudgeThread({ clock })
    const judging = thread.judge(page, pageOf(1000, 20_000), 'sv-0')
    await posted()
    const first = busy.latest
    busy.cpuUsage = () => new Promise(() => {})
    clock.advance(10_000)
    clock.advance(1_000)
    expect(await judging).toMatchObject({ kind: 'value' })
    expect(busy.latest).not.toBe(first)
  })

  test('leaves no one waiting when it is closed', async () => {
    const thread = new JudgeThread({ clock: new ManualClock() })
    const waiting = [0, 1, 2].map((voter) => thread.judge(page, pageOf(500), String(voter)))
    const ended = Promise.allSettled(waiting)
    await thread[Symbol.asyncDispose]()
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
    await expect(thread.judge(page, pageOf(1), 'sv-0')).rejects.toThrow(JudgeFailed)
  })

  test('that a body kept working for too long counts as a fault of the body, and the vote goes on', async () => {
    const clock = new ManualClock()
    await using judge = new JudgeThread({ clock })
    const ballots = new Ballots(page, { judge: { thread: judge, nameOf: String } })
    const slow = ballots.hear(0, 200, pageOf(1000, 20_000))
    await posted()
    busy.cpuUsage = worked(5_000)
    clock.advance(10_000)
    expect((await slow).reply).toEqual({ kind: 'fault', fault: 'misshapen' })
    expect((await ballots.hear(1, 200, pageOf(200))).reply.kind).toBe('value')
  })

  test('that cannot judge a body is a limit of this daemon, and no fault of the super validator', async () => {
    await using judge = new JudgeThread({ clock: new ManualClock() })
    const ballots = new Ballots(page, { judge: { thread: judge, nameOf: String } })
    busy.ends = true
    const { reply } = await ballots.hear(0, 200, pageOf(200))
    expect(reply).toEqual({ kind: 'fault', fault: 'busy' })
    expect(isOwnLimit(reply)).toBe(true)
    busy.ends = false
    expect((await ballots.hear(0, 200, pageOf(200))).reply.kind).toBe('value')
  })
})

test('a long body that names its node is printed as it would be printed here', async () => {
  const read = reads.getDsoInfo
  const [state] = samples.getDsoInfo.reply.sv_node_states
  const states = Array.from({ length: 200 }, (_, at) => ({
    ...state,
    contract: { ...state?.contract, contract_id: `00${at}`, created_event_blob: 'A'.repeat(1_000) },
  }))
  const bytes = Buffer.from(JSON.stringify({ ...samples.getDsoInfo.reply, sv_node_states: states }))
  const print = async (ballots: Ballots) => {
    await ballots.hear(0, 200, bytes)
    return (await ballots.print('0', { on: 'whole' })).body.toString()
  }
  expect(await print(new Ballots({ read, params: {} }, { judge: { thread: shared, nameOf: String } }))).toBe(
    await print(new Ballots({ read, params: {} })),
  )
})

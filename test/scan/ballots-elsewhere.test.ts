import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/base/lib/canonical-json.ts'
import { digest } from '../../src/base/lib/digest.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import type { Params, Question, Read } from '../../src/core/reads/read.ts'
import { reads } from '../../src/core/reads/table.ts'
import { Ballots, type HeardResponse } from '../../src/core/scan/ballots.ts'
import { longestBody } from '../../src/core/scan/evidence-log.ts'
import { JudgeFailed, type JudgeThread } from '../../src/core/scan/judge-thread.ts'
import { comparisonOf, judgeBody, printed, valueIn } from '../../src/core/scan/judgement.ts'
import { samples } from '../reads/samples.ts'

const [alice, dso] = samples.listAnsEntries.reply.entries
const params = { page_size: '2' }
const longestHere = 65_536

/** Spaces at the end make the body too long for the serving thread to judge. */
function long(body: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(body)}${' '.repeat(longestHere)}`)
}

type After = <T>(result: Promise<T>) => Promise<T>

/**
 * Makes a judge that works in this thread and answers when `after` permits. Each method fails for bodies that contain a
 * certain text, such as `fails to be judged`. Bodies are to blame for that, unless they contain `by this daemon`.
 */
function judgeWhen(after: After): JudgeThread {
  const of = <T>(bytes: Buffer, fails: string, make: () => T): Promise<T> =>
    after(
      bytes.includes(fails)
        ? Promise.reject(new JudgeFailed(fails, bytes.includes('by this daemon') ? 'daemon' : 'body'))
        : Promise.resolve().then(make),
    )
  const judge: Pick<JudgeThread, 'judge' | 'compare' | 'print'> = {
    judge: (question, bytes) =>
      of(bytes, 'fails to be judged', () => {
        const judged = judgeBody(question, bytes)
        if (judged.kind !== 'value') return judged
        const { value, ...rest } = judged
        const whole = judged.verbatim ? undefined : printed(question, [value], { on: 'whole' })
        return { ...rest, digest: digest(bytes), printed: whole }
      }),
    compare: (question, bytes) =>
      of(bytes, 'fails to be compared', () => comparisonOf(question.read, valueIn(question, bytes))),
    print: (question: Question, bodies, choice) =>
      of(Buffer.concat(bodies), 'fails to be compared', () =>
        printed(
          question,
          bodies.map((bytes) => valueIn(question, bytes)),
          choice,
        ),
      ),
  }
  return judge as JudgeThread
}

const atOnce = judgeWhen((result) => result)

function voteOf(reply: Reply): string {
  return reply.kind === 'value' || reply.kind === 'refusal'
    ? `${reply.kind} ${reply.vote}`
    : JSON.stringify(reply)
}

const groupsOf = (all: readonly string[]) => all.map((one) => all.indexOf(one))

async function hearAll(judge: JudgeThread | undefined, read: Read, given: Params, bodies: readonly Buffer[]) {
  const ballots = new Ballots({ read, params: given }, { judge: judge && { thread: judge, nameOf: String } })
  const heard = bodies.map((bytes, voter) => ballots.hear(voter, 200, bytes))
  return { ballots, heard: await Promise.all(heard) }
}

const said = fc.constantFrom<unknown[]>(
  { entries: [alice] },
  { entries: [dso] },
  { entries: [alice, dso] },
  { entries: [dso, alice] },
  { entries: [alice, alice] },
  { entries: 'none' },
  { entries: [{ ...alice, description: 'fails to be judged' }] },
  [],
)
const body = fc
  .tuple(said, fc.boolean())
  .map(([value, isLong]) => (isLong ? long(value) : Buffer.from(JSON.stringify(value))))

describe('long bodies, which are judged elsewhere', () => {
  test('count as they would count here, in whatever order they are judged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(body, { minLength: 1, maxLength: 6 }), async (s, bodies) => {
        const judge = judgeWhen((result) => s.schedule(result))
        const away = await s.waitFor(hearAll(judge, reads.listAnsEntries, params, bodies))
        const here = await hearAll(undefined, reads.listAnsEntries, params, bodies)
        const isLost = (bytes: Buffer) => bytes.length > longestHere && bytes.includes('fails to be judged')
        const expected = here.heard.map(({ reply }, at) =>
          isLost(bodies[at] as Buffer)
            ? JSON.stringify({ kind: 'fault', fault: 'misshapen' })
            : voteOf(reply),
        )
        const votes = away.heard.map(({ reply }) => voteOf(reply))
        expect(groupsOf(votes)).toEqual(groupsOf(expected))
        expect(votes.map((vote) => vote.split(' ')[0])).toEqual(expected.map((vote) => vote.split(' ')[0]))
        for (const [voter, { reply }] of away.heard.entries()) {
          if (reply.kind !== 'value') continue
          const behind = away.ballots.statement(reply.vote).bodies.flatMap(({ voters }) => voters)
          expect(behind.filter((other) => other === voter)).toEqual([voter])
        }
      }),
      { numRuns: 30 },
    )
  })

  test('are the only ones that are, and say when they end and what their digest is', async () => {
    const elsewhere: number[] = []
    const judge = judgeWhen((result) => result)
    const counting = {
      ...judge,
      judge: (...given: Parameters<JudgeThread['judge']>) => {
        elsewhere.push(given[1].length)
        return judge.judge(...given)
      },
    } as JudgeThread
    const text = JSON.stringify({ entries: [alice] })
    const lengths = [text.length, longestHere, longestHere + 1]
    const bodies = lengths.map((length) => Buffer.from(text.padEnd(length)))
    const { ballots, heard } = await hearAll(counting, reads.listAnsEntries, params, bodies)
    expect(elsewhere).toEqual([longestHere + 1])
    expect(new Set(heard.map(({ reply }) => voteOf(reply)))).toEqual(new Set(['value 0']))
    expect(heard.map(({ kept }) => kept)).toEqual([true, true, true])
    const ends = Date.parse(alice.expires_at ?? '')
    const found = ballots
      .statement('0')
      .bodies.map((one) => [one.bytes.length, one.judged?.endsAt, one.digest])
    expect(found.sort(([a], [b]) => Number(a) - Number(b))).toEqual(
      bodies.map((bytes) => [bytes.length, ends, bytes.length > longestHere ? digest(bytes) : undefined]),
    )
  })

  test('that cannot be compared have a vote of their own, and no items', async () => {
    const odd = { entries: [{ ...alice, description: 'fails to be compared' }] }
    const bodies = [long({ entries: [alice] }), long(odd), Buffer.concat([long(odd), Buffer.from(' ')])]
    const { ballots, heard } = await hearAll(atOnce, reads.listAnsEntries, params, bodies)
    expect(groupsOf(heard.map(({ reply }) => voteOf(reply)))).toEqual([0, 1, 2])
    const items = heard.map(({ reply }) => (reply.kind === 'value' ? reply.items?.length : undefined))
    expect(items).toEqual([1, undefined, undefined])
    expect(ballots.compare()).toBeUndefined()
    expect(['0', '1', '2'].map((vote) => ballots.statement(vote).comparison?.excerpt)).toEqual([
      canonicalJson({ entries: [alice] }),
      '',
      '',
    ])
    const [item] = heard[0]?.reply.kind === 'value' ? (heard[0].reply.items ?? []) : []
    const page = await ballots.print(undefined, { on: 'items', items: item === undefined ? [] : [item] })
    expect(JSON.parse(page.body.toString())).toEqual({ entries: [alice] })
  })

  test('that this daemon fails to compare take no vote from anybody, and no other body counts against them', async () => {
    const odd = long({ entries: [{ ...alice, description: 'fails to be compared by this daemon' }] })
    const other = [long({ entries: [alice] }), Buffer.from(JSON.stringify({ entries: [alice] })), odd]
    const busy = JSON.stringify({ kind: 'fault', fault: 'busy' })
    const voteAll = async (bodies: readonly Buffer[]) => {
      const judge = { thread: atOnce, nameOf: String }
      const ballots = new Ballots({ read: reads.listAnsEntries, params }, { judge })
      const votes: string[] = []
      for (const [voter, bytes] of bodies.entries())
        votes.push(voteOf((await ballots.hear(voter, 200, bytes)).reply))
      return votes
    }
    expect(await voteAll([odd, ...other])).toEqual(['value 0', busy, busy, 'value 0'])
    expect(await voteAll(other)).toEqual(['value 0', 'value 0', busy])
  })

  test('that this daemon fails to judge are no fault of their voters', async () => {
    const odd = long({ entries: [{ ...alice, description: 'fails to be judged by this daemon' }] })
    const { heard } = await hearAll(atOnce, reads.listAnsEntries, params, [odd])
    expect(heard).toEqual([{ reply: { kind: 'fault', fault: 'busy' }, kept: false }])
  })

  test('reject where the judge has a defect', async () => {
    const judge = { ...atOnce, judge: () => Promise.reject(new Error('a defect')) } as unknown as JudgeThread
    await expect(hearAll(judge, reads.listAnsEntries, params, [long([])])).rejects.toThrow('a defect')
  })

  test('are compared on demand if only one was received', async () => {
    const { ballots, heard } = await hearAll(atOnce, reads.listAnsEntries, params, [
      long({ entries: [alice] }),
    ])
    const [first] = heard as [HeardResponse]
    expect(first.reply).toMatchObject({ kind: 'value', vote: '0', items: undefined })
    const comparing = ballots.compare()
    expect(comparing).toBeInstanceOf(Promise)
    await comparing
    expect(ballots.compare()).toBeUndefined()
    const canonical = canonicalJson({ entries: [alice] })
    expect(ballots.statement('0').comparison).toMatchObject({ digest: digest(canonical), excerpt: canonical })
  })

  test('are printed as they would be printed here, whole, in items or in steps', async () => {
    const { transactions } = samples.getUpdateHistoryV2.reply
    const [update] = transactions
    const later = { ...update, update_id: '1220cd', record_time: '2026-03-01T13:00:01+01:00' }
    const history = { transactions: [update, later] }
    const given = { body: JSON.stringify({ page_size: 2, daml_value_encoding: 'compact_json' }) }
    const prints = [atOnce, undefined].map(async (judge) => {
      const { ballots } = await hearAll(judge, reads.getUpdateHistoryV2, given, [long(history)])
      const whole = await ballots.print('0', { on: 'whole' })
      const beginning = await ballots.print('0', { on: 'history', length: 1 })
      const own = new Map([['own 1', 'cd']])
      const withOwn = await ballots.print('0', { on: 'whole', own })
      const pages = [whole, beginning, withOwn].map(({ body }) => JSON.parse(body.toString()).transactions)
      expect(pages.map((page) => page.length)).toEqual([2, 1, 2])
      expect(pages.map((page) => page.at(-1).external_transaction_hash)).toEqual([undefined, undefined, 'cd'])
      return pages
    })
    const [away, here] = await Promise.all(prints)
    expect(away).toEqual(here)
  })
})

describe('long bodies', () => {
  function counted() {
    const counts = { judge: 0, compare: 0, print: 0 }
    const jobs = (['judge', 'compare', 'print'] as const).map((job) => [
      job,
      (...given: never[]) => {
        counts[job] += 1
        return (atOnce[job] as (...all: never[]) => unknown)(...given)
      },
    ])
    return { counts, judge: Object.fromEntries(jobs) as JudgeThread }
  }

  test('that were judged are known again at once, and those that were faults are judged again', async () => {
    const { counts, judge } = counted()
    const ballots = new Ballots(
      { read: reads.listAnsEntries, params },
      { judge: { thread: judge, nameOf: String } },
    )
    const [right, wrong] = [long({ entries: [alice] }), long({ entries: 'none' })]
    for (const bytes of [right, wrong]) await ballots.hear(0, 200, bytes)
    expect(counts.judge).toBe(2)
    const again = ballots.hear(1, 200, right)
    expect(again).not.toBeInstanceOf(Promise)
    expect(await again).toMatchObject({ reply: { kind: 'value', vote: '0' }, kept: false })
    expect(counts.judge).toBe(2)
    expect((await ballots.hear(1, 200, wrong)).reply.kind).toBe('fault')
    expect(counts.judge).toBe(3)
  })

  test('that are not served as they are were printed when they were judged', async () => {
    const { counts, judge } = counted()
    const bytes = long({ entries: [dso, alice] })
    const { ballots } = await hearAll(judge, reads.listAnsEntries, params, [bytes])
    const here = await hearAll(undefined, reads.listAnsEntries, params, [bytes])
    expect(await ballots.print('0', { on: 'whole' })).toEqual(await here.ballots.print('0', { on: 'whole' }))
    expect(counts.print).toBe(0)
    const none = { on: 'items', items: [] } as const
    expect(JSON.parse((await ballots.print('0', none)).body.toString())).toEqual({ entries: [] })
  })

  test('and short ones are printed together in items', async () => {
    const bodies = [Buffer.from(JSON.stringify({ entries: [alice] })), long({ entries: [dso] })]
    const { ballots, heard } = await hearAll(atOnce, reads.listAnsEntries, params, bodies)
    const items = heard.flatMap(({ reply }) => (reply.kind === 'value' ? (reply.items ?? []) : []))
    const { body } = await ballots.print(undefined, { on: 'items', items })
    expect(items).toHaveLength(2)
    expect((JSON.parse(body.toString()) as { entries: unknown[] }).entries).toHaveLength(2)
  })

  test('have no steps before there are two of them', async () => {
    const { transactions } = samples.getUpdateHistoryV2.reply
    const given = { body: JSON.stringify({ page_size: 2, daml_value_encoding: 'compact_json' }) }
    const { heard } = await hearAll(atOnce, reads.getUpdateHistoryV2, given, [long({ transactions })])
    expect(heard[0]?.reply).toMatchObject({ kind: 'value', vote: '0', steps: undefined, items: undefined })
  })
})

test('a list is printed in items of values only, whatever else was said', async () => {
  const ballots = new Ballots({ read: reads.listAnsEntries, params })
  const { reply } = (await ballots.hear(
    0,
    200,
    Buffer.from(JSON.stringify({ entries: [alice] })),
  )) as HeardResponse
  await ballots.hear(1, 409, Buffer.from('{"error":"no"}'))
  const items = reply.kind === 'value' ? (reply.items ?? []) : []
  const { body } = await ballots.print(undefined, { on: 'items', items })
  expect(JSON.parse(body.toString())).toEqual({ entries: [alice] })
})

test('only an answer in parts has a canonical digest of its own: that of what won is known', () => {
  const list: Question = { read: reads.listAnsEntries, params }
  const value = { entries: [alice] }
  expect(printed(list, [value], { on: 'whole' }).canonicalDigest).toBeUndefined()
  const items = comparisonOf(list.read, value).items ?? []
  const made = printed(list, [value], { on: 'items', items })
  expect(made.canonicalDigest).toBe(digest(canonicalJson(value)))
  expect(made.digest).toBe(digest(made.body))
})

test('an answer in parts is made of lists and histories only', () => {
  const whole: Question = { read: reads.lookupAnsEntryByName, params: {} }
  expect(() => printed(whole, [{}], { on: 'history', length: 1 })).toThrow('is no history')
  expect(() => printed(whole, [{}], { on: 'items', items: [] })).toThrow('has no items')
})

test('a body that says no value has none', () => {
  const question: Question = { read: reads.lookupAnsEntryByName, params: { name: 'x' } }
  expect(() => valueIn(question, Buffer.from('[]'))).toThrow('says nothing any more')
})

test('a row that cannot cope with a value makes it misshapen', () => {
  const read: Read = {
    ...reads.lookupAnsEntryByName,
    answersQuestion: () => {
      throw new TypeError('unforeseen')
    },
  }
  const bytes = Buffer.from(JSON.stringify(samples.lookupAnsEntryByName.reply))
  const params = { name: samples.lookupAnsEntryByName.reply.entry.name }
  expect(judgeBody({ read, params }, bytes)).toEqual({ kind: 'fault', fault: 'misshapen' })
})

test('a value of a read that names no end has none', () => {
  const question: Question = { read: reads.getDsoPartyId, params: {} }
  const bytes = Buffer.from(JSON.stringify(samples.getDsoPartyId.reply))
  expect(judgeBody(question, bytes)).toMatchObject({ kind: 'value', endsAt: undefined })
})

test('the text of a value or a refusal in the evidence is a beginning of its canonical text', async () => {
  const ballots = new Ballots({
    read: reads.lookupAnsEntryByName,
    params: { name: samples.lookupAnsEntryByName.reply.entry.name },
  })
  const entry = { ...samples.lookupAnsEntryByName.reply.entry, description: 'x'.repeat(longestBody) }
  // The longest refusal that can be judged. Its canonical text is longer than the body, because the text also contains
  // the status.
  const text = 'x'.repeat(longestBody - 12)
  await ballots.hear(0, 200, Buffer.from(JSON.stringify({ entry })))
  await ballots.hear(1, 409, Buffer.from(JSON.stringify({ error: text })))
  for (const [vote, said] of [
    ['0', { entry }],
    ['1', { error: text, status: 409 }],
  ] as const) {
    const canonical = canonicalJson(said)
    const { comparison } = ballots.statement(vote)
    expect(comparison).toMatchObject({ digest: digest(canonical), excerpt: canonical.slice(0, longestBody) })
  }
})

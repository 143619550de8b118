import { describe, expect, test, vi } from 'vitest'
import type { Answer } from '../../src/core/cache/answer.ts'
import { Plan } from '../../src/core/quorum/plan.ts'
import type { Question } from '../../src/core/reads/read.ts'
import { reads } from '../../src/core/reads/table.ts'
import { agreedAnswer } from '../../src/core/scan/agreed-answer.ts'
import { samples } from '../reads/samples.ts'
import { wireReads } from '../support/wired-reads.ts'

const name = 'alice.unverified.cns'
const { reply } = samples.lookupAnsEntryByName
const plain = JSON.stringify(reply)
const spaced = JSON.stringify(reply, null, 2)
const reordered = JSON.stringify({ entry: Object.fromEntries(Object.entries(reply.entry).reverse()) })

async function answered(
  said: Readonly<Record<string, string>>,
  question: Question = { read: reads.lookupAnsEntryByName, params: { name } },
): Promise<Answer | undefined> {
  const all = wireReads({
    names: Object.keys(said),
    rule: 'f+1',
    fanout: 'all',
    seed: 1,
    ask: async (asked) => ({
      kind: 'response',
      status: 200,
      body: Buffer.from(said[asked] ?? ''),
      release: () => {},
    }),
  })
  using inquiry = all.ask(question.read, question.params)
  const verdict = await inquiry.decided
  await inquiry.whenOver()
  return verdict.kind === 'agreed' ? agreedAnswer(inquiry, verdict) : undefined
}

test('a voter that gave the answer agrees with it, also where the verdict did not wait for its reply', async () => {
  const answer = await answered({ a: plain, b: plain, c: plain, d: '{"error":"no"}' })
  expect(answer?.agreement.agreed).toHaveLength(2)
  expect(answer?.provenance?.heard.map((one) => one?.agrees)).toEqual([true, true, true, false])
})

test('the bytes that a threshold sent are served as they are', async () => {
  const { status, body } = (await answered({ a: spaced, b: spaced, c: spaced, d: spaced })) as Answer
  expect([status, String(body)]).toEqual([200, spaced])
})

test('bytes from fewer senders than the threshold are never served, in any order of replies', async () => {
  for (const said of [
    { a: spaced, b: reordered, c: '', d: '' },
    { a: reordered, b: spaced, c: '', d: '' },
    { a: '', b: '', c: reordered, d: spaced },
  ]) {
    const { status, body } = (await answered(said)) as Answer
    expect([status, String(body)]).toEqual([200, plain])
  }
})

interface RecordedItem {
  readonly migration_id: number
  readonly record_time: string
  readonly verdict?: RecordedItem
}

test.each([
  reads.getUpdateHistoryV2,
  reads.getUpdateHistoryV1,
  reads.getImportUpdates,
  reads.getEventHistory,
])('$id: an item of a newer kind that has nothing but its time keeps nobody from agreeing', async (read) => {
  const { params, reply } = samples[read.id as 'getUpdateHistoryV2']
  const [list = ''] = Object.keys(reply)
  const [item = expect.fail()] = Object.values(reply).flat() as readonly RecordedItem[]
  const { migration_id, record_time } = item.verdict ?? item
  const page = (...all: readonly object[]) => JSON.stringify({ [list]: all })
  const then = (nth: number) => page(item, { migration_id, record_time: `2031-01-01T00:00:0${nth}Z` })
  const said = { a: page({ migration_id, record_time }), b: then(1), c: then(2), d: then(3) }
  const answer = await answered(said, { read, params })
  expect(JSON.parse(String(answer?.body))[list]).toHaveLength(1)
})

describe.each([
  [
    'a value',
    { read: reads.getDsoInfo, params: {} },
    (payload: object) => {
      const { dso_rules, ...info } = samples.getDsoInfo.reply
      return { ...info, dso_rules: { ...dso_rules, contract: { ...dso_rules.contract, payload } } }
    },
  ],
  [
    'an update at the beginning of a page',
    { read: reads.getUpdateHistoryV2, params: { body: '{"page_size":1000}' } },
    (payload: object, at: number) => {
      const [update] = samples.getUpdateHistoryV2.reply.transactions
      const [[id, event]] = Object.entries(update.events_by_id) as [[string, object]]
      const first = { ...update, events_by_id: { [id]: { ...event, choice_argument: payload } } }
      const own = { ...update, record_time: `2031-01-01T00:00:0${at}.000000Z` }
      return { transactions: [first, own] }
    },
  ],
] as const)('members of a payload in %s that are null or absent', (_what, question, bodyOf) => {
  const without = { provider: 'a::1220', list: [{ some: '1' }, null] }
  const within = { provider: 'a::1220', list: [{ some: '1', none: null }, null], later: null }
  const other = { ...within, provider: 'b::1220' }

  async function payloadIn(...payloads: readonly object[]): Promise<unknown> {
    const said = payloads.map((payload, at) => [`sv-${at}`, JSON.stringify(bodyOf(payload, at))])
    const answer = await answered(Object.fromEntries(said), question)
    let found: unknown
    JSON.parse(String(answer?.body), (_, value) => {
      if (value?.list !== undefined) found = value
      return value
    })
    return found
  }

  test('are one vote, and are served as enough super validators gave them', async () => {
    expect(await payloadIn(within, within, within, within)).toEqual(within)
    expect(await payloadIn(without, within, within, other)).toEqual(within)
    expect(await payloadIn(within, without, without, other)).toEqual(without)
  })

  test('are left out if too few gave them alike', async () => {
    const one = { ...without, one: null }
    const two = { ...without, two: null }
    expect(await payloadIn(one, within, two, without)).toEqual(without)
  })
})

test('a defect of a rule in an audit ends the audit, and not the process', async () => {
  const wired = wireReads({
    names: ['a', 'b', 'c', 'd'],
    rule: 'f+1',
    fanout: 'economical',
    seed: 1,
    auditShare: 1,
    ask: async () => ({ kind: 'response', status: 200, body: Buffer.from(plain), release: () => {} }),
  })
  const recorded = vi.spyOn(wired.witness, 'allReplied')
  using inquiry = wired.ask(reads.lookupAnsEntryByName, { name })
  const verdict = await inquiry.decided
  using _ = vi.spyOn(Plan.prototype, 'reply').mockImplementation(() => {
    throw new Error('a defect')
  })
  wired.clock.advance(1)
  await inquiry.whenOver()
  expect(verdict.kind).toBe('agreed')
  expect(recorded).not.toHaveBeenCalled()
})

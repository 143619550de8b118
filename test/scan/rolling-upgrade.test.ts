import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../src/core/cache/answer.ts'
import type { FanoutMode } from '../../src/core/quorum/plan.ts'
import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { Read } from '../../src/core/reads/read.ts'
import { schemaOf } from '../../src/core/reads/schema.ts'
import { agreedAnswer } from '../../src/core/scan/agreed-answer.ts'
import type { Filing } from '../../src/core/scan/evidence-log.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import { plainText } from '../adversary/json-text.ts'
import { lie } from '../adversary/lies.ts'
import { isBeginning, trueMeaning, untruth } from '../adversary/oracle.ts'
import { Tape } from '../adversary/tape.ts'
import { partsOf, replaced, type Tree, treeOf } from '../adversary/tree.ts'
import { allTruths, type Truth } from '../adversary/world.ts'
import { wireReads } from '../support/wired-reads.ts'

/** The names of thirteen super validators. The seven in `newer` run a newer release than the other six. */
const names = Array.from({ length: 13 }, (_, nth) => `sv-${String(nth + 1).padStart(2, '0')}`)
const newer = new Set(names.filter((_, nth) => nth % 2 === 0))

let truths: readonly Truth[]
beforeAll(async () => {
  truths = await allTruths()
})

/**
 * The replies to one question by release. If there is a `lie`, a liar takes the place of one super validator with the
 * older release.
 */
interface Rollout {
  readonly older: Truth
  readonly newer: Truth
  readonly lie?: Truth
  /** Whether the super validators with the older release stop answering as soon as the read has ended. */
  readonly ends?: true
}

interface Course {
  readonly answer: Answer | undefined
  readonly filings: Readonly<Record<string, Filing>>
}

const liar = 'sv-02'

/** Makes one read of all super validators. Resolves when every dissent has been rechecked. */
async function play(
  { older, newer: newest, lie: lies, ends }: Rollout,
  fanout: FanoutMode,
  rule: 'f+1' | '2f+1' = 'f+1',
): Promise<Course> {
  const responses = new Map(names.map((name) => [name, responseOf(newer.has(name) ? newest : older)]))
  if (lies !== undefined) responses.set(liar, responseOf(lies))
  let inFlight = 0
  const reads = wireReads({
    names,
    rule,
    fanout,
    seed: seed++,
    async ask(name) {
      inFlight++
      await nextTurn()
      inFlight--
      return responses.get(name) as ScanResponse
    },
  })
  using inquiry = reads.ask(older.read, older.params)
  const verdict = await inquiry.decided
  await inquiry.whenOver()
  const answer = verdict.kind === 'agreed' ? await agreedAnswer(inquiry, verdict) : undefined
  if (ends === true) for (const name of names) if (!newer.has(name)) responses.set(name, silence)
  await nextTurn()
  const filings = () =>
    Object.assign({}, ...reads.evidence.cases().map(({ dissent }) => dissent)) as Record<string, Filing>
  for (let second = 0; second < 62; second++) {
    if (!Object.values(filings()).includes('pending')) break
    reads.clock.advance(1_000)
    do await nextTurn()
    while (inFlight > 0)
  }
  return { answer, filings: filings() }
}

let seed = 1
const silence: ScanResponse = { kind: 'fault', fault: 'timeout', detail: '' }

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function responseOf({ status, body }: Truth): ScanResponse {
  return { kind: 'response', status, body: Buffer.from(plainText(body)), release: () => {} }
}

/**
 * Whether the answer comes from the releases: as the reply of one release, as a beginning of its history, or as items
 * of their lists.
 */
function isToldBy({ older, newer: newest }: Rollout, answer: Answer): boolean {
  const told = [older, newest].filter(isVote)
  if (told.some((truth) => untruth(truth, answer) === undefined)) return true
  if (answer.agreement.complete) return false
  if (told.some((truth) => isBeginning(truth, answer))) return true
  const items = new Set(told.flatMap((truth) => itemsIn(truth.read, plainText(truth.body))))
  return itemsIn(older.read, answer.body.toString()).every((item) => items.has(item))
}

function itemsIn({ agree, reply }: Read, text: string): readonly string[] {
  if (agree.on !== 'items') return []
  return agree.list(schemaOf(reply).parse(JSON.parse(text))).map((item) => JSON.stringify(item))
}

/**
 * Whether one answer can agree with two different replies to the question. The read may give one of several right
 * answers, one history may be a beginning of the other, or both may have reached one time.
 */
function mayAgreeAllTheSame({ read: { agree } }: Truth): boolean {
  return (
    agree.on === 'history' || agree.on === 'reached' || (agree.on === 'ranked' && agree.isPick !== undefined)
  )
}

function isVote(truth: Truth): boolean {
  const { kind } = trueMeaning(truth)
  return kind === 'value' || kind === 'refusal'
}

/** Whether the releases cannot contradict each other: their replies mean the same, or one of the replies is no vote. */
function isOneVoice({ older, newer: newest }: Rollout): boolean {
  return !isVote(older) || !isVote(newest) || sameMeaning(older, newest)
}

function sameMeaning(a: Truth, b: Truth): boolean {
  return JSON.stringify(trueMeaning(a)) === JSON.stringify(trueMeaning(b))
}

async function wrongIn(rollout: Rollout, fanout: FanoutMode): Promise<string | undefined> {
  const { answer, filings } = await play(rollout, fanout)
  const { id } = rollout.older.read
  const said = `${id} ${fanout}: ${plainText(rollout.newer.body).slice(0, 300)}`
  if (answer === undefined) return `${said} was not answered`
  if (!isToldBy(rollout, answer)) return `${said} was answered ${answer.body.toString().slice(0, 300)}`
  const wrong = Object.entries(filings).filter(([, as]) => as !== 'lag' && as !== 'ahead' && as !== 'split')
  if (wrong.length > 0) return `${said} filed ${JSON.stringify(wrong)}`
  if (isOneVoice(rollout) && Object.keys(filings).length > 0) return `${said} had ${JSON.stringify(filings)}`
  return undefined
}

async function expectNothingWrong(rollouts: readonly Rollout[]): Promise<void> {
  const wrong: string[] = []
  for (const rollout of rollouts)
    for (const fanout of ['economical', 'all'] as const)
      wrong.push(...[await wrongIn(rollout, fanout)].filter((what) => what !== undefined))
  expect(wrong).toEqual([])
}

function truthsOf(id: ReadId): readonly Truth[] {
  return truths.filter(({ read, status }) => read.id === id && status === 200)
}

function withBody(truth: Truth, body: Tree): Rollout {
  return { older: truth, newer: { ...truth, body } }
}

function withMember(tree: Tree, where: (object: Tree) => boolean): Tree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => withMember(item, where)) }
  if (tree.kind !== 'object') return tree
  const members = tree.members.map(([key, value]) => [key, withMember(value, where)] as const)
  return { kind: 'object', members: where(tree) ? [...members, ['addedLately', treeOf(null)]] : members }
}

function withoutEachMember(body: Tree): readonly Tree[] {
  return partsOf(body).flatMap((part) => {
    if (part.kind !== 'object') return []
    return part.members.map((dropped) => {
      const members = part.members.filter((member) => member !== dropped)
      return replaced(body, part, { kind: 'object', members }) as Tree
    })
  })
}

/** Returns another value that the read's row accepts. Undefined if the search found none. */
function otherwise(truth: Truth): Truth | undefined {
  for (let choice = 1; choice < 200; choice++) {
    const tape = new Tape(Array.from({ length: 40 }, (_, nth) => choice * 7_919 + nth * 104_729))
    const other = { ...truth, body: lie(truth.body, tape) }
    if (trueMeaning(other).kind === 'value' && !sameMeaning(other, truth)) return other
  }
  return undefined
}

describe.each(readIds)('while seven of thirteen super validators run a newer release, %s', (id) => {
  test('is answered where that one adds members to every object', async () => {
    await expectNothingWrong(
      truthsOf(id).map((truth) =>
        withBody(
          truth,
          withMember(truth.body, () => true),
        ),
      ),
    )
  })

  test('is answered where that one leaves any member out', async () => {
    const [sample] = truthsOf(id) as [Truth]
    await expectNothingWrong(withoutEachMember(sample.body).map((body) => withBody(sample, body)))
  })

  test('is answered where that one gives another answer, and nobody dissents but one that lies', async () => {
    for (const truth of truthsOf(id)) {
      const other = otherwise(truth)
      if (other === undefined) continue
      await expectNothingWrong([{ older: truth, newer: other }])
      const third = otherwise(other)
      if (third === undefined || sameMeaning(third, truth)) continue
      const lies = { older: truth, newer: other, lie: third }
      const { answer, filings } = await play(lies, 'all')
      expect(answer !== undefined && isToldBy(lies, answer)).toBe(true)
      const { [liar]: filed, ...honest } = filings
      expect(filed).toBeOneOf(
        mayAgreeAllTheSame(truth) ? ['dissent', 'lag', 'ahead', undefined] : ['dissent'],
      )
      for (const as of Object.values(honest)) expect(as).toBeOneOf(['lag', 'ahead', 'split'])
    }
  })

  test('is answered where that one lacks the path, or is the first to have it', async () => {
    const [sample] = truthsOf(id) as [Truth]
    const error = `The requested resource could not be found: http://scan${sample.read.scanPath}`
    const lacking: Truth = { ...sample, status: 404, body: treeOf({ error }) }
    await expectNothingWrong([
      { older: sample, newer: lacking },
      { older: lacking, newer: sample },
    ])
  })
})

/**
 * The reads that return a choice context. Newer releases leave out contracts that a choice no longer needs
 * (Splice PR #6008).
 */
const contextReads = readIds.filter((id) => /Factory|Context/.test(id))

test.each(contextReads)(
  '%s is answered with one context or the other while one has no rules and no round',
  async (id) => {
    const contracts = ['00aa', '00bb'].map((contractId) => ({
      templateId: 'x:Splice.AmuletRules:AmuletRules',
      contractId,
      createdEventBlob: 'CgMyLjESAAo=',
      synchronizerId: 'global::1220ab',
    }))
    const context = {
      choiceContextData: {
        values: {
          'amulet-rules': { tag: 'AV_ContractId', value: '00aa' },
          'open-round': { tag: 'AV_ContractId', value: '00bb' },
          'expire-lock': { tag: 'AV_Bool', value: true },
        },
      },
      disclosedContracts: contracts,
    }
    const lean = {
      choiceContextData: { values: { 'expire-lock': { tag: 'AV_Bool', value: true } } },
      disclosedContracts: [],
    }
    const [sample] = truthsOf(id) as [Truth]
    const bodyWith = (given: typeof context | typeof lean) => {
      if (sample.body.kind !== 'object') throw new Error('a reply is an object')
      const outer = Object.fromEntries(sample.body.members)
      if (!('choiceContext' in outer)) return treeOf(given)
      const members = sample.body.members.map(([key, value]) =>
        key === 'choiceContext' ? ([key, treeOf(given)] as const) : ([key, value] as const),
      )
      return { kind: 'object', members } as const
    }
    const rollout = {
      older: { ...sample, body: bodyWith(context) },
      newer: { ...sample, body: bodyWith(lean) },
    }
    expect([rollout.older, rollout.newer].map((truth) => trueMeaning(truth).kind)).toEqual(['value', 'value'])
    await expectNothingWrong([rollout])
    const { answer, filings } = await play(rollout, 'all')
    const isNewest = newer.has(answer?.agreement.agreed[0] ?? '')
    expect(Object.keys(filings)).toEqual(names.filter((name) => newer.has(name) !== isNewest))
    const strict = await play(rollout, 'all', '2f+1')
    expect(strict).toEqual({ answer: undefined, filings: {} })
  },
)

test('super validators that are shut down for their upgrade before they are asked again are not called liars', async () => {
  const [truth] = truthsOf('lookupAnsEntryByName') as [Truth]
  const other = otherwise(truth) as Truth
  const rollout = { older: other, newer: truth, ends: true } as const
  for (let round = 0; round < 10; round++) {
    const { answer, filings } = await play(rollout, 'all')
    const isNewest = newer.has(answer?.agreement.agreed[0] ?? '')
    for (const as of Object.values(filings)) expect(as).toBe(isNewest ? 'unchecked' : 'ahead')
  }
})

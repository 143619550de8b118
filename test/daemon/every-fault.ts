import { Agent } from 'node:http'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { upstreamOf } from '../../src/core/reads/request.ts'
import { type Fault, nodeFaultKinds } from '../../src/localnet/faults.ts'
import { type Mount, mounts } from '../../src/server/http/routes/mounts.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { type Questions, questionsTo } from '../support/every-question.ts'
import { nothingKept } from './questions.ts'

export const liars = ['sv-2', 'sv-5', 'sv-7', 'sv-11']

/** The release that has every path of the table of reads. */
export const newestRelease = { 'localnet.releases': ['0.9'] }

/** Keeps a few connections open, because the tests send tens of thousands of questions. */
const agent = new Agent({ keepAlive: true })

/** Closes the idle connections, because a server that ends would wait for them. */
export function closeConnections(): void {
  agent.destroy()
}

export const post = (body: string): AskOptions => ({ method: 'POST', body, agent })

export function askDaemon(
  stage: Stage<undefined>,
  { read, method, template }: Mount,
  params: Params,
): Promise<Heard> {
  const { path, body = '{}' } = upstreamOf({ read, params })
  const query = path.split('?')[1]
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const target = query === undefined ? filled : `${filled}?${query}`
  return stage.get(target, method === 'POST' ? post(body) : { agent })
}

export async function askNode(
  stage: Stage<undefined>,
  name: string,
  read: Read,
  params: Params,
): Promise<{ status: number; value: unknown }> {
  const { url = '' } = stage.localnet.superValidators.find((one) => one.name === name) ?? {}
  const { path: newest, olderPaths = [], body } = upstreamOf({ read, params })
  const options = body === undefined ? { agent } : post(body)
  let said = await ask(url, newest, options)
  for (const path of olderPaths) if (said.text.includes(unknownPath)) said = await ask(url, path, options)
  const { status, text } = said
  return { status, value: text === '' ? undefined : JSON.parse(text) }
}

const unknownPath = 'The requested resource could not be found'

const differsBetweenHonestNodes =
  /^(?:sv_user|sv_party_id|next_page_token|event_type|event_id|created_in_update_id|finalization_time|view_hash|offset|traffic_summary|app_activity_records|totalSupply|totalSupplyAsOf|debug.*)$/

/**
 * Returns a copy without the order of lists, and without the members whose values differ between honest nodes. Answers
 * that differ only in these become equal.
 */
export function common(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .map((inner) => {
        const item = common(inner)
        return { item, text: JSON.stringify(item) }
      })
      .sort((a, b) => (a.text < b.text ? -1 : 1))
      .map(({ item }) => item)
  if (typeof value !== 'object' || value === null) return value
  const isVerdict = 'verdict_result' in value
  const members = Object.entries(value).filter(
    ([name]) => !differsBetweenHonestNodes.test(name) && !(isVerdict && name === 'round_number'),
  )
  return Object.fromEntries(
    members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, common(inner)]),
  )
}

/** Faults with options. `everyFault` adds all other kinds of fault. */
const chosenFaults: readonly Fault[] = [
  { kind: 'reorder' },
  { kind: 'retell' },
  { kind: 'new-field' },
  { kind: 'lag', by: 5_000 },
  { kind: 'skew', by: 60_000 },
  { kind: 'uninitialised' },
  { kind: 'misshapen' },
  { kind: 'round-number' },
  { kind: 'html' },
  { kind: 'equivocate' },
  { kind: 'lie', alone: true },
  { kind: 'status', code: 404, error: 'The requested resource could not be found: http://scan.example/' },
  { kind: 'status', code: 404, error: 'no such thing' },
  { kind: 'status', code: 501, error: 'not here' },
  { kind: 'status', code: 422, error: 'no' },
  { kind: 'status', code: 200, error: 'no' },
  { kind: 'garble', as: 'utf-8' },
  { kind: 'garble', as: 'half' },
  { kind: 'huge', bytes: 300_000 },
  { kind: 'huge', framing: 'chunked', bytes: 300_000 },
  { kind: 'gzip-bomb', bytes: 300_000 },
  { kind: 'truncate', framing: 'chunked' },
  { kind: 'reset', after: 'half' },
  { kind: 'hang', after: 'half' },
]

/** One fault of each sort: true replies in other words, old replies, false replies, no replies. */
export const fewFaults: readonly Fault[] = chosenFaults.filter(({ kind }) =>
  ['reorder', 'lag', 'lie', 'uninitialised', 'huge'].includes(kind),
)

/**
 * Has every kind of fault at least once. The kinds that make the daemon ask a node less often for a while come last.
 */
export const everyFault: readonly Fault[] = [
  ...chosenFaults,
  ...nodeFaultKinds
    .filter((kind) => !chosenFaults.some((fault) => fault.kind === kind))
    .toReversed()
    .map((kind) => ({ kind }) as Fault),
]

interface Case {
  readonly n: number
  readonly faulty: readonly string[]
  readonly faults: readonly Fault[]
  /** Each fault is tried with one in this many of the reads, and the next fault with others. */
  readonly oneIn: number
}

export function everyReadUnder({ n, faulty, faults, oneIn }: Case): void {
  let stage: Stage<undefined>
  let questions: Questions
  const scanMounts = mounts.filter(
    ({ surface, template }) => surface === 'scan' && /^\/(?:api|registry)\//.test(template),
  )

  beforeAll(async () => {
    // Every read waits for nodes that hang, so the time-out is short.
    const config = { 'scanClient.requestTimeout': '2s', ...newestRelease, ...nothingKept }
    stage = await startLiveStage({ superValidators: n, config })
    questions = questionsTo(stage.localnet)
  })
  afterAll(() => {
    closeConnections()
    return stage[Symbol.asyncDispose]()
  })

  async function everyReadIsTrue(asked = scanMounts): Promise<void> {
    for (const mount of asked) {
      const id = mount.read.id as ReadId
      const truth = await askNode(stage, 'sv-1', mount.read, questions[id])
      const { status, text } = await askDaemon(stage, mount, questions[id])
      const served = truth.value === undefined ? { error: 'No migration is scheduled.' } : truth.value
      expect({ id, status, value: common(JSON.parse(text)) }).toEqual({
        id,
        status: truth.status,
        value: common(served),
      })
    }
  }

  test.each(faults.map((fault, at) => [JSON.stringify(fault), fault, at] as const))(
    'reads are true whatever they do: %s',
    async (_json, fault, at) => {
      await stage.fault(faulty, fault)
      onTestFinished(() => stage.fault(faulty, undefined))
      await everyReadIsTrue(scanMounts.filter((_, nth) => nth % oneIn === at % oneIn))
    },
    60_000,
  )

  test('every read is true whatever kinds of faults they have together', async () => {
    const mixed: readonly Fault[] = [
      { kind: 'lie' },
      { kind: 'hang' },
      { kind: 'lag' },
      { kind: 'rate-limit' },
    ]
    onTestFinished(() => stage.fault(faulty, undefined))
    for (const [at, name] of faulty.entries()) await stage.fault([name], mixed[at])
    await everyReadIsTrue()
  })

  test('releases that are mixed: every read is answered by those that have it, a new field or not', async () => {
    const threshold = faulty.length + 1
    const [older, newer] = [stage.names.slice(threshold), stage.names.slice(1, 2)]
    await stage.fault(older, 'unknown-path')
    await stage.fault(newer, 'new-field')
    onTestFinished(() => stage.fault([...older, ...newer], undefined))
    await everyReadIsTrue()
  })
}

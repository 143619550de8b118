import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Mount, mounts } from '../../src/http/routes/mounts.ts'
import { nodeSpecificRoutes } from '../../src/http/routes/node-specific.ts'
import { type Fault, faultKinds } from '../../src/localnet/faults.ts'
import type { Params, Read } from '../../src/reads/read.ts'
import { upstreamOf } from '../../src/reads/request.ts'
import { type ReadId, readIds, reads } from '../../src/reads/table.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { everyQuestion, type Questions } from '../support/every-question.ts'
import { nothingKept } from './questions.ts'

const liars = ['sv-2', 'sv-5', 'sv-7', 'sv-11']

/** Reads whose answer on a localnet leaves nothing to lie about: there is nothing, or there is one answer only. */
const nothingToLieAbout: ReadonlySet<ReadId> = new Set<ReadId>([
  'getLsu',
  'getMigrationId',
  'getMigrationSchedule',
  'getImportUpdates',
  'getAllocationInstructionAcceptContext',
  'getAllocationInstructionWithdrawContext',
])

function questionsOf({ localnet: { world, truth } }: Stage<undefined>): Questions {
  return everyQuestion({ ...world, annals: world.annals, userEntries: truth.entries('', 1000) })
}

const post = (body: string): AskOptions => ({ method: 'POST', body })

/** As a caller of the daemon asks it. */
function askDaemon(
  stage: Stage<undefined>,
  { read, method, template }: Mount,
  params: Params,
): Promise<Heard> {
  const { path, body = '{}' } = upstreamOf(read, params)
  const query = path.split('?')[1]
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const target = query === undefined ? filled : `${filled}?${query}`
  return stage.get(target, method === 'POST' ? post(body) : {})
}

async function askNode(
  stage: Stage<undefined>,
  name: string,
  read: Read,
  params: Params,
): Promise<{ status: number; value: unknown }> {
  const { url = '' } = stage.localnet.superValidators.find((one) => one.name === name) ?? {}
  const { path, body } = upstreamOf(read, params)
  const { status, text } = await ask(url, path, body === undefined ? {} : post(body))
  return { status, value: text === '' ? undefined : JSON.parse(text) }
}

/** What a node says by itself, and no other with it. */
const own =
  /^(?:sv_user|sv_party_id|next_page_token|finalization_time|traffic_summary|app_activity_records|totalSupply|totalSupplyAsOf|debug.*)$/

/** The same for answers that differ only in the order of lists and in what nodes say by themselves. */
function common(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(common).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !own.test(name))
  return Object.fromEntries(
    members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, common(inner)]),
  )
}

/** What the proxy's paths make of what scans say, by hand. */
function asServed(surface: Mount['surface'], id: string, value: unknown): unknown {
  if (surface === 'scan') return value
  if (id === 'getAmuletRules') {
    return { amulet_rules: (value as { amulet_rules_update: unknown }).amulet_rules_update }
  }
  if (id !== 'getOpenAndIssuingMiningRounds') return value
  const { open_mining_rounds: open, issuing_mining_rounds: issuing } = value as Record<string, object>
  return {
    open_mining_rounds: Object.values(open ?? {}),
    issuing_mining_rounds: Object.values(issuing ?? {}),
  }
}

describe('with 13 super validators of which four lie together', () => {
  let stage: Stage<undefined>
  let questions: Questions

  beforeAll(async () => {
    stage = await startLiveStage({ superValidators: 13, config: nothingKept })
    questions = questionsOf(stage)
    await stage.fault(liars, 'lie')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(mounts.map((mount) => [`${mount.method} ${mount.template}`, mount] as const))(
    '%s answers what is true',
    async (_name, mount) => {
      const id = mount.read.id as ReadId
      const truth = await askNode(stage, 'sv-1', mount.read, questions[id])
      const heard = await askDaemon(stage, mount, questions[id])
      const served = truth.value === undefined ? { error: 'No migration is scheduled.' } : truth.value
      expect({ status: heard.status, value: common(JSON.parse(heard.text)) }).toEqual({
        status: truth.status,
        value: common(asServed(mount.surface, id, served)),
      })
      const threshold = mount.read.proves === undefined ? 5 : 1
      expect(heard.headers['x-bft-quorum']).toMatch(
        new RegExp(`^agreed=\\d+, threshold=${threshold}, asked=\\d+, voters=13$`),
      )
      if (nothingToLieAbout.has(id)) return
      for (const liar of liars) expect(heard.headers['x-bft-agreed']).not.toMatch(`"${liar}"`)
    },
  )

  test.each(readIds)('the four tell something else of %s, or there is nothing to lie about', async (id) => {
    const [truth, lie] = await Promise.all(
      ['sv-1', 'sv-2'].map(async (name) => common(await askNode(stage, name, reads[id], questions[id]))),
    )
    if (nothingToLieAbout.has(id)) expect(lie).toEqual(truth)
    else expect(lie).not.toEqual(truth)
  })

  test('what is about one node is refused with the reason', async () => {
    for (const { method, template, why, instead } of nodeSpecificRoutes) {
      const path = template.replaceAll(/\{\w+\}/g, 'x')
      const { status, text } = await stage.get(path, method === 'POST' ? post('{}') : {})
      expect({ status, error: JSON.parse(text).error }).toEqual({ status: 501, error: `${why} ${instead}` })
    }
  })
})

/** What makes honest nodes print otherwise, and what makes others no voters, told of every read. */
const chosen: readonly Fault[] = [
  { kind: 'reorder' },
  { kind: 'new-field' },
  { kind: 'lag', by: 5_000 },
  { kind: 'skew', by: 60_000 },
  { kind: 'uninitialised' },
  { kind: 'misshapen' },
  { kind: 'duplicate-keys' },
  { kind: 'lone-surrogate' },
  { kind: 'deep', levels: 100 },
  { kind: 'round-number' },
  { kind: 'html' },
  { kind: 'equivocate' },
  { kind: 'lie', alone: true },
  { kind: 'status', code: 404, error: 'The requested resource could not be found: http://scan.example/' },
  { kind: 'status', code: 404, error: 'no such thing' },
  { kind: 'status', code: 501, error: 'not here' },
  { kind: 'huge', bytes: 300_000 },
  { kind: 'gzip-bomb', bytes: 300_000 },
]

/** Every kind that there is, at least once; those after which a node is less asked come last. */
const faults: readonly Fault[] = [
  ...chosen,
  ...faultKinds
    .filter((kind) => !chosen.some((fault) => fault.kind === kind))
    .toReversed()
    .map((kind) => ({ kind }) as Fault),
]

describe.each([
  { n: 4, faulty: ['sv-3'] },
  { n: 13, faulty: liars },
])('of $n super validators with $faulty.length at fault', ({ n, faulty }) => {
  let stage: Stage<undefined>
  let questions: Questions
  const scanMounts = mounts.filter(
    ({ surface, template }) => surface === 'scan' && /^\/(?:api|registry)\//.test(template),
  )

  beforeAll(async () => {
    // Who hangs is found out sooner.
    const config = { 'scanClient.requestTimeout': '2s', ...nothingKept }
    stage = await startLiveStage({ superValidators: n, config })
    questions = questionsOf(stage)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function everyReadIsTrue(): Promise<void> {
    for (const mount of scanMounts) {
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

  test.each(faults.map((fault) => [JSON.stringify(fault), fault] as const))(
    'every read is true whatever they do: %s',
    async (_json, fault) => {
      await stage.fault(faulty, fault)
      onTestFinished(() => stage.fault(faulty, undefined))
      await everyReadIsTrue()
    },
    60_000,
  )

  test('releases that are mixed: every read is answered by those that have it, a new field or not', async () => {
    const threshold = faulty.length + 1
    const [older, newer] = [stage.names.slice(threshold), stage.names.slice(1, 2)]
    await stage.fault(older, 'old-release')
    await stage.fault(newer, 'new-field')
    onTestFinished(() => stage.fault([...older, ...newer], undefined))
    await everyReadIsTrue()
  })
})

describe('whom to trust, and how many of them:', () => {
  const thresholdOf = ({ proves }: Read, usual: number) => (proves === undefined ? usual : 1)

  /** Asks every read, and says which of them were answered as they should be. */
  async function quorums(stage: Stage<undefined>): Promise<ReadonlyMap<string, string>> {
    const questions = questionsOf(stage)
    const said = new Map<string, string>()
    for (const mount of mounts.filter(({ surface }) => surface === 'scan')) {
      const { headers } = await askDaemon(stage, mount, questions[mount.read.id as ReadId])
      said.set(mount.read.id, String(headers['x-bft-quorum']).replace(/agreed=\d+|asked=\d+/g, '_'))
    }
    return said
  }

  test('`scanClient.thresholds.<read>`: every read can have its own, and one that lies changes nothing', async () => {
    const own = Object.fromEntries(
      readIds.map((id, at) => [`scanClient.thresholds.${id}`, at % 2 ? '2f+1' : 4]),
    )
    await using stage = await startLiveStage({
      superValidators: 7,
      config: { 'scanClient.threshold': 3, ...own, ...nothingKept },
    })
    await stage.fault(['sv-2', 'sv-5'], 'lie')
    for (const [id, said] of await quorums(stage)) {
      const threshold = thresholdOf(reads[id as ReadId], readIds.indexOf(id as ReadId) % 2 ? 5 : 4)
      expect({ id, said }).toEqual({ id, said: `_, threshold=${threshold}, _, voters=7` })
    }
  })

  test('`2f+1`: every read takes as many as that', async () => {
    await using stage = await startLiveStage({
      superValidators: 4,
      config: { 'scanClient.threshold': '2f+1', ...nothingKept },
    })
    for (const [id, said] of await quorums(stage))
      expect({ id, said }).toEqual({
        id,
        said: `_, threshold=${thresholdOf(reads[id as ReadId], 3)}, _, voters=4`,
      })
  })

  test('`bft-custom`: every read is asked of those that are named, and of nobody else', async () => {
    const svNames = ['sv-1', 'sv-3', 'sv-6', 'sv-7']
    await using stage = await startLiveStage({
      superValidators: 7,
      config: { 'scanClient.scanType': 'bft-custom', 'scanClient.svNames': svNames, ...nothingKept },
    })
    const others = stage.names.filter((name) => !svNames.includes(name))
    const before = others.map((name) => stage.localnet.asks(name))
    for (const [id, said] of await quorums(stage))
      expect({ id, said }).toEqual({
        id,
        said: `_, threshold=${thresholdOf(reads[id as ReadId], 2)}, _, voters=4`,
      })
    expect(others.map((name) => stage.localnet.asks(name))).toEqual(before)
  })

  test('`trust-single`: every read is what the one says, and says that nothing protects it', async () => {
    await using stage = await startLiveStage({
      superValidators: 4,
      config: { 'scanClient.scanType': 'trust-single', ...nothingKept },
    })
    for (const [id, said] of await quorums(stage)) {
      const isProven = reads[id as ReadId].proves !== undefined
      expect({ id, said }).toEqual({
        id,
        said: `_, threshold=1, _, voters=1${isProven ? '' : ', protected=?0'}`,
      })
    }
    for (const name of stage.names.slice(1)) expect(stage.localnet.asks(name)).toBe(0)
  })
})

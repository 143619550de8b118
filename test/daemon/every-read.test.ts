import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Mount, mounts } from '../../src/http/routes/mounts.ts'
import { nodeSpecificRoutes } from '../../src/http/routes/node-specific.ts'
import { type ReadId, readIds } from '../../src/reads/endpoints.ts'
import type { Read } from '../../src/reads/read.ts'
import { reads } from '../../src/reads/table.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import type { Questions } from '../support/every-question.ts'
import { registryOperations, scanProxyOperations } from '../support/published-operations.ts'
import {
  askDaemon,
  askNode,
  closeConnections,
  common,
  everyFault,
  everyReadUnder,
  fewFaults,
  liars,
  newestRelease,
  post,
  questionsOf,
} from './every-fault.ts'
import { nothingKept } from './questions.ts'

/** The localnet cannot lie about these reads: their true answer is empty, or no other answer is well-formed. */
const nothingToLieAbout: ReadonlySet<ReadId> = new Set<ReadId>([
  'getLsu',
  'getMigrationId',
  'getMigrationSchedule',
  'getImportUpdates',
  'getAllocationInstructionAcceptContext',
  'getAllocationInstructionWithdrawContext',
])

/**
 * Returns what a path serves if the scans agreed on `value`. The conversions of the scan proxy are written here by
 * hand, so that they are checked.
 */
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

test('the daemon serves every operation of scan-proxy.yaml and of the seven registry files, under each base path', () => {
  const linesOf = (text: string) => text.trim().split('\n')
  const below = (base: string) => (operation: string) => operation.replace(' ', ` ${base}`)
  const [proxy, registry] = [linesOf(scanProxyOperations), linesOf(registryOperations)]
  const wanted = [
    ...['', '/api/validator'].flatMap((base) => proxy.map(below(base))),
    ...['', '/v0/scan-proxy', '/api/validator/v0/scan-proxy'].flatMap((base) => registry.map(below(base))),
  ]
  expect(wanted).toHaveLength(2 * 15 + 3 * 21)
  const served = mounts.map(({ method, template }) => `${method} ${template.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(wanted.filter((operation) => !served.includes(operation))).toEqual([])
})

describe('with 13 super validators of which four lie together', () => {
  let stage: Stage<undefined>
  let questions: Questions

  beforeAll(async () => {
    stage = await startLiveStage({ superValidators: 13, config: { ...newestRelease, ...nothingKept } })
    questions = questionsOf(stage)
    await stage.fault(liars, 'lie')
  })
  afterAll(() => {
    closeConnections()
    return stage[Symbol.asyncDispose]()
  })

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
      // Liars that state a later time state that the served one was reached, too.
      if (nothingToLieAbout.has(id) || mount.read.agree.on === 'reached') return
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

describe('of 4 super validators with one at fault', () => {
  everyReadUnder({ n: 4, faulty: ['sv-3'], faults: everyFault })
})

// `npm run test:faults` tries every kind of fault with 13 super validators.
describe('of 13 super validators with four at fault', () => {
  everyReadUnder({ n: 13, faulty: liars, faults: fewFaults })
})

describe('whom to trust, and how many of them:', () => {
  const thresholdOf = ({ proves }: Read, usual: number) => (proves === undefined ? usual : 1)

  /** Resolves with the `x-bft-quorum` of each read. `_` stands for the numbers that differ from run to run. */
  async function quorums(stage: Stage<undefined>): Promise<ReadonlyMap<string, string>> {
    const questions = questionsOf(stage)
    const said = new Map<string, string>()
    for (const mount of mounts.filter(({ surface }) => surface === 'scan')) {
      const { headers } = await askDaemon(stage, mount, questions[mount.read.id as ReadId])
      said.set(mount.read.id, String(headers['x-bft-quorum']).replace(/agreed=\d+|asked=\d+/g, '_'))
    }
    closeConnections()
    return said
  }

  test('`scanClient.thresholds.<read>`: every read can have its own, and one that lies changes nothing', async () => {
    const own = Object.fromEntries(
      readIds.map((id, at) => [`scanClient.thresholds.${id}`, at % 2 ? '2f+1' : 4]),
    )
    await using stage = await startLiveStage({
      superValidators: 7,
      config: { 'scanClient.threshold': 3, ...own, ...newestRelease, ...nothingKept },
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
      config: { 'scanClient.threshold': '2f+1', ...newestRelease, ...nothingKept },
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
      config: {
        'scanClient.scanType': 'bft-custom',
        'scanClient.svNames': svNames,
        ...newestRelease,
        ...nothingKept,
      },
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
      config: { 'scanClient.scanType': 'trust-single', ...newestRelease, ...nothingKept },
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

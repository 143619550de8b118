import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import { reads } from '../../src/core/reads/table.ts'
import { type Mount, mounts } from '../../src/server/http/routes/mounts.ts'
import { nodeSpecificRoutes } from '../../src/server/http/routes/node-specific.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { type Questions, questionsTo } from '../support/every-question.ts'
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
    questions = questionsTo(stage.localnet)
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

// `npm run test:faults` tries every kind of fault with every read.
describe('of 4 super validators with one at fault', () => {
  everyReadUnder({ n: 4, faulty: ['sv-3'], faults: everyFault, oneIn: 6 })
})

describe('of 13 super validators with four at fault', () => {
  everyReadUnder({ n: 13, faulty: liars, faults: fewFaults, oneIn: 6 })
})

test('every read can have a threshold of its own, and one that lies changes nothing', async () => {
  const thresholdOf = (id: ReadId) => (readIds.indexOf(id) % 2 ? '2f+1' : 4)
  const own = Object.fromEntries(readIds.map((id) => [`scanClient.thresholds.${id}`, thresholdOf(id)]))
  await using stage = await startLiveStage({
    superValidators: 7,
    config: { 'scanClient.threshold': 3, ...own, ...newestRelease, ...nothingKept },
  })
  await stage.fault(['sv-2', 'sv-5'], 'lie')
  const questions = questionsTo(stage.localnet)
  for (const mount of mounts.filter(({ surface }) => surface === 'scan')) {
    const id = mount.read.id as ReadId
    const { headers } = await askDaemon(stage, mount, questions[id])
    const threshold = mount.read.proves !== undefined ? 1 : thresholdOf(id) === 4 ? 4 : 5
    expect({ id, said: headers['x-bft-quorum'] }).toEqual({
      id,
      said: expect.stringMatching(new RegExp(`^agreed=\\d+, threshold=${threshold}, asked=\\d+, voters=7$`)),
    })
  }
  closeConnections()
})

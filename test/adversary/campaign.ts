import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../../src/base/lib/clock.ts'
import { tolerated } from '../../src/base/lib/threshold.ts'
import { silentLogger } from '../../src/base/telemetry/logger.ts'
import type { Served } from '../../src/core/cache/answers.ts'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { upstreamOf } from '../../src/core/reads/request.ts'
import { openReadPathAlone, type ReadPath } from '../../src/core/scan/open.ts'
import { configOf, written } from '../config/config.ts'
import { nothingKept } from '../daemon/questions.ts'
import { isBeginning, untruth } from './oracle.ts'
import type { ScansThread } from './scans-thread.ts'
import { Tape } from './tape.ts'
import { treeOf } from './tree.ts'
import type { Truth } from './world.ts'

/** The choices of all tapes of one campaign: one tape for the scene, and one tape for each read. */
export interface Orders {
  readonly scene: readonly number[]
  readonly reads: readonly (readonly number[])[]
}

export interface Figures {
  readonly reads: number
  readonly replies: number
  readonly lies: number
  /**
   * The longest time, in milliseconds, for which the reader's thread did not return to its event loop. For each read,
   * this time is at most the thread's CPU time.
   */
  readonly blockedMs: number
}

interface Scene {
  readonly n: number
  readonly liars: readonly number[]
  readonly rule: string
  readonly fanout: string
  readonly truths: readonly Truth[]
  /** The liars that told the truth when a question was asked. A later caller may share what was said then. */
  readonly truthful: Map<Truth, Set<number>>
}

/**
 * The reader's clock runs this many times faster than real time, so that a test also reaches the daemon's time-outs.
 */
const speed = 20
const begun = Date.now() - performance.now() * speed

const fastClock: Clock = {
  now: () => performance.now() * speed,
  wall: () => begun + performance.now() * speed,
  after(ms, run) {
    const timer = setTimeout(run, ms / speed)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

const mostScans = 13

/**
 * Runs a read path over real sockets, from the questions about the roster to the rechecks, while as many scans lie as
 * the quorum tolerates.
 * @throws an error that describes a result that must not occur.
 */
export async function campaign(
  scans: ScansThread,
  truths: readonly Truth[],
  orders: Orders,
): Promise<Figures> {
  const scene = sceneOf(truths, scans, new Tape(orders.scene))
  await scans.order({
    do: 'tell',
    liars: scene.liars,
    truths: scene.truths.map(({ read, ...rest }) => ({ ...rest, read: read.id as ReadId })),
  })
  await scans.order({ do: 'decide', choices: orders.scene })
  await scans.report()
  const delay = monitorEventLoopDelay({ resolution: 10 })
  await using path = await openReadPathAlone(configOf(settings(scene, scans)), {
    logger: silentLogger,
    clock: fastClock,
  })
  checkRoster(path, scene)
  const total = { reads: 0, replies: 0, lies: 0, blockedMs: 0 }
  for (const choices of orders.reads) {
    await scans.order({ do: 'decide', choices })
    delay.enable()
    delay.reset()
    const used = process.threadCpuUsage()
    await readOnce(path, scans, scene, choices, total)
    delay.disable()
    const { user, system } = process.threadCpuUsage(used)
    // Another program may have used the processor during `delay.max`, but this thread worked no longer than its CPU
    // time. `delay.max` includes the 10 ms of the monitor's own interval.
    total.blockedMs = Math.max(total.blockedMs, Math.min(delay.max / 1e6 - 10, (user + system) / 1000))
    total.reads++
  }
  checkRoster(path, scene)
  checkEvidence(path, scene)
  return total
}

function sceneOf(all: readonly Truth[], { ports }: ScansThread, tape: Tape): Scene {
  const n = tape.pick([4, 7, mostScans])
  const liars = tape.shuffled([...Array(n).keys()]).slice(0, tolerated(n))
  const rule = tape.pick(['f+1', '2f+1'])
  const fanout = tape.pick(['economical', 'quorum', 'all'])
  const own = rosterTruths(all, ports.slice(0, n))
  // `all` may have several truths about one request. Only one of them is true during a campaign.
  const byQuestion = Map.groupBy(all, (truth) => JSON.stringify(upstreamOf(truth)))
  const chosen = [...byQuestion.values()].map((several) => tape.pick(several))
  return {
    n,
    liars,
    rule,
    fanout,
    truths: [...chosen.filter(({ read }) => !own.some((other) => other.read === read)), ...own],
    truthful: new Map(),
  }
}

function rosterTruths(all: readonly Truth[], ports: readonly number[]): readonly Truth[] {
  const scans = ports.map((port, nth) => ({ publicUrl: `http://127.0.0.1:${port}`, svName: nameOf(nth) }))
  const known = (id: ReadId) => all.find(({ read, status }) => read.id === id && status === 200) as Truth
  const rules = known('getAmuletRules')
  const published = { scans: [{ domainId: synchronizerIn(rules), scans }] }
  return [known('getDsoPartyId'), rules, { ...known('listDsoScans'), body: treeOf(published) }]
}

function synchronizerIn({ body }: Truth): string {
  const [, synchronizer = ''] =
    /"activeSynchronizer","value":\{"kind":"text","text":"([^"]+)"|activeSynchronizer",\{"kind":"text","text":"([^"]+)"/
      .exec(JSON.stringify(body))
      ?.filter((part) => part !== undefined) ?? []
  return synchronizer
}

function nameOf(nth: number): string {
  return `sv-${String(nth + 1).padStart(2, '0')}`
}

function settings({ n, rule, fanout }: Scene, { ports }: ScansThread): object {
  return written({
    network: 'remote',
    'scanClient.seedUrls': ports.slice(0, n).map((port) => `http://127.0.0.1:${port}`),
    'scanClient.allowHttp': true,
    'scanClient.allowPrivate': true,
    'scanClient.minimumVoters': 1,
    'scanClient.asksPerSecond': 'none',
    'scanClient.registryAsksPerMinute': 'none',
    'scanClient.threshold': rule,
    'scanClient.fanout': fanout,
    'scanClient.requestTimeout': '10m',
    'scanClient.deadline': '20m',
    'scanClient.refreshInterval': '40s',
    ...nothingKept,
  })
}

async function answerOf({ reader }: ReadPath, truth: Truth): Promise<Served> {
  return reader.answer(truth)
}

async function readOnce(
  path: ReadPath,
  scans: ScansThread,
  scene: Scene,
  choices: readonly number[],
  total: { replies: number; lies: number },
): Promise<void> {
  const truth = new Tape(choices).pick(scene.truths)
  const { answer } = await answerOf(path, truth).catch((error: unknown) => {
    throw failure(scene, truth, `failed: ${String(error)}`)
  })
  const { replies, lies, truthful } = await scans.report()
  total.replies += replies
  total.lies += lies
  const told = scene.truthful.get(truth) ?? new Set()
  for (const nth of truthful) told.add(nth)
  scene.truthful.set(truth, told)
  const wrong = untruth(truth, answer)
  const { complete, agreed, threshold } = answer.agreement
  if (wrong !== undefined && (complete || !isBeginning(truth, answer)))
    throw failure(scene, truth, `was answered with ${wrong}`)
  if (agreed.length < threshold) throw failure(scene, truth, `was agreed by ${agreed.length} of ${threshold}`)
  // A liar that states a later time has reached the served one, too.
  const mayCount = !complete || truth.read.agree.on === 'reached'
  const liar = scene.liars.find((nth) => !mayCount && agreed.includes(nameOf(nth)) && !told.has(nth))
  if (liar !== undefined) throw failure(scene, truth, `counts ${nameOf(liar)} among those who agree`)
}

function checkRoster(path: ReadPath, scene: Scene): void {
  const { roster } = path.discovery
  if (roster?.voters.length !== scene.n)
    throw failure(
      scene,
      undefined,
      `has a roster of ${roster?.voters.length}: ${JSON.stringify(path.discovery.status)}`,
    )
}

function checkEvidence(path: ReadPath, scene: Scene): void {
  const liars = scene.liars.map(nameOf)
  for (const { dissent, read } of path.evidence.cases())
    for (const [name, as] of Object.entries(dissent))
      if (!liars.includes(name))
        throw failure(scene, undefined, `filed ${as} against ${name} for ${read}, and it is honest`)
}

function failure({ n, rule, fanout, liars }: Scene, truth: Truth | undefined, what: string): Error {
  const question = truth === undefined ? '' : `${truth.read.id} (${truth.status}) `
  return new Error(
    `${question}of ${n} under ${rule}, ${fanout}, where ${liars.map(nameOf).join()} lie: ${what}`,
  )
}

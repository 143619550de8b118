import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../src/base/config/load.ts'
import { mintToken } from '../../src/cli/token.ts'
import { Child } from '../child.ts'
import type { Walk } from '../children/walked-daemon.ts'
import { keepLong, lookupPath } from '../daemon.ts'
import { Caller, getRequest, postRequest } from '../load.ts'
import type { Bench, Outcome } from '../row.ts'

const superValidators = 7
/** The time after which a daemon does nothing any more for a request. */
const quietMs = 500
const rounds = 3
/**
 * Each second, the daemon looks which scans it has to probe. With this pause, the rounds begin at different times of a
 * second, and at least one of them does not meet that look.
 */
const shiftMs = 350

/**
 * Counts the files and functions of `src/` that requests and a start enter, by V8's precise coverage. Of each kind,
 * the smallest of three walks counts. The figure is the number of files that an uncached lookup enters.
 */
export async function filesThatAreEntered(bench: Bench): Promise<Outcome> {
  const walks = { ...(await walksOfReads(bench)), ...(await walksOfLedger(bench)) }
  const detail: Record<string, number> = {}
  for (const [kind, { files, functions }] of Object.entries(walks)) {
    detail[`${kind}Files`] = files
    detail[`${kind}Functions`] = functions
  }
  return { kind: 'measured', figure: walks.miss.files, detail }
}

async function walksOfReads({ cores }: Bench) {
  await using scans = await Child.start('many-names', cores?.rest, { superValidators, names: 10 })
  const names = await scans.call<readonly string[]>('names', rounds + 1)
  const seedUrls = await scans.call<readonly string[]>('urls')
  const settings = {
    network: 'remote',
    http: { port: 0, missesPerSecond: 'none' },
    operations: { port: 0 },
    scanClient: { seedUrls, allowHttp: true, allowPrivate: true, auditShare: 0, probeInterval: '1h' },
    cache: { times: { lookupAnsEntryByName: keepLong } },
  }
  await using child = await Child.start('walked-daemon', cores?.measured, settings)
  const start = await child.call<Walk>('walked')
  using caller = await Caller.connect(await child.call<string>('url'))
  const lookUp = (name = '') => caller.ask(getRequest(lookupPath(name)))
  const miss = await smallestOf(child, (round) => lookUp(names[round]))
  const absent = await smallestOf(child, (round) => lookUp(`nobody-${round}.unverified.cns`))
  const hit = await smallestOf(child, () => lookUp(names[0]))
  return {
    miss,
    absent,
    hit,
    mirrored: await walkOfMirrored(settings, names[0] ?? '', cores?.measured),
    start,
  }
}

async function walkOfMirrored(settings: object, name: string, core: number | undefined): Promise<Walk> {
  await using child = await Child.start('walked-daemon', core, {
    ...settings,
    mirror: { level: 'bindings', spotCheckInterval: '24h' },
  })
  using caller = await Caller.connect(await child.call<string>('url'))
  const lookUp = () => caller.ask(getRequest(lookupPath(name)))
  while (!(await lookUp()).head.includes('detail=mirror')) await sleep(100)
  return await smallestOf(child, lookUp)
}

async function walksOfLedger({ cores }: Bench) {
  const settings = {
    network: 'localnet',
    http: { port: 0 },
    operations: { port: 0 },
    scanClient: { auditShare: 0, probeInterval: '1h' },
    localnet: { superValidators, controlPort: 0 },
  }
  const loaded = loadConfig({ env: { NODE_CONFIG: JSON.stringify(settings) } })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const token = await mintToken('walker', loaded.config)
  await using child = await Child.start('walked-daemon', cores?.measured, settings)
  using caller = await Caller.connect(await child.call<string>('url'))
  const ask = async (request: Buffer) => {
    const { status, body } = await caller.ask(request)
    if (status !== 200) throw new Error(`${status}: ${body}`)
    return JSON.parse(String(body))
  }
  const post = (path: string, body: object) => ask(postRequest(path, JSON.stringify(body), token))
  const entry = (name: string) => ({ name: `${name}.unverified.cns`, url: '', description: '' })
  await post('/v0/wallet/tap', { amount: '100.0' })
  const create = await smallestOf(child, (round) => post('/v0/entry/create', entry(`walker-${round}`)))
  const { party_id: party } = await ask(
    getRequest('/v0/wallet/user-status', `authorization: bearer ${token}\r\n`),
  )
  const eventFormat = { filtersByParty: { [party]: {} }, verbose: true }
  const format = {
    includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
  }
  const updates = () => post('/v2/updates', { beginExclusive: 0, endInclusive: 5, updateFormat: format })
  return { create, updates: await smallestOf(child, updates) }
}

/** Some rounds meet work that the daemon does at times, so the smallest counts. */
async function smallestOf(child: Child, request: (round: number) => Promise<unknown>): Promise<Walk> {
  await request(0)
  const walks: Walk[] = []
  for (let round = 1; round <= rounds; round++) {
    await sleep(quietMs + shiftMs)
    await child.call('walked')
    await request(round)
    await sleep(quietMs)
    walks.push(await child.call<Walk>('walked'))
  }
  return walks.reduce((smallest, walk) => (walk.functions < smallest.functions ? walk : smallest))
}

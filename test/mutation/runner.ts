import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { type RunnerTestCase, type TestContext, TestRunner } from 'vitest'
import { Journal } from './journal.ts'
import { orderFrom, quickRuns, readPlan } from './plan.ts'
import { installSwitchboard, OutOfFuel } from './switchboard.ts'

type Outcome = { readonly kind: 'passed' | 'late' } | { readonly kind: 'failed'; readonly error: unknown }

interface State {
  /** The site of each surviving mutant, by the mutant's number. */
  readonly living: Map<number, number>
  readonly done: Set<string>
  readonly covers: Map<string, readonly number[]>
  readonly uncaught: unknown[]
}

const order = orderFrom(process.env)
const isAlone = order.pass === 'alone'
const { mutants } = readPlan(order.folder)
const board = installSwitchboard(mutants.at(-1)?.site ?? 0, isAlone ? (order.chosen?.[0] ?? 0) : 0)
const journal = new Journal(order.folder, order.shard)

/**
 * The limits of a test with a mutant. They depend on the same test without a mutant (`usual`):
 * - Its fuel may be `usual * times + fuel`.
 * - Its time may be `usual * times + ms`.
 * - It may be idle for `turns` turns of the event loop in a row.
 */
const slack = { fuel: 200_000, turns: 300, ms: 1_000, times: 8 }
/** If a test is idle for at most this many turns without a mutant, it waits for nothing outside of the process. */
const fewTurns = 30
const quickTestMs = 150

// With one seed, every run kills the same mutants. Shrinking is off, because it would repeat each failing test many
// times.
fc.configureGlobal({
  seed: 20_261_122,
  endOnFailure: true,
  ...(order.pass === 'quick' ? { numRuns: quickRuns } : {}),
})

const state = (globalThis as { __mutationState?: State }).__mutationState ?? startState()
Object.assign(globalThis, { __mutationState: state })

function startState(): State {
  const chosen = order.chosen ?? mutants.keys().map((at) => at + 1)
  const living = new Map<number, number>()
  for (const mutant of chosen) {
    if (mutant % order.shards === order.shard) living.set(mutant, mutants[mutant - 1]?.site ?? 0)
  }
  const started: State = { living, done: new Set(), covers: new Map(), uncaught: [] }
  for (const entry of journal.read()) {
    if (entry.is === 'killed' || entry.is === 'late') living.delete(entry.mutant)
    else if (entry.is === 'covers' && entry.pass === order.pass) started.covers.set(entry.test, entry.sites)
    else if (entry.is === 'done' && entry.pass === order.pass) started.done.add(entry.test)
  }
  process.on('unhandledRejection', (error) => started.uncaught.push(error))
  process.on('uncaughtException', (error) => started.uncaught.push(error))
  return started
}

/**
 * Runs each test once without a mutant, and records which sites of the mutated sources it reaches. Then runs the test
 * with every surviving mutant of these sites. The process loads the modules only once.
 */
class MutationRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    if (isAlone) return TestRunner.getTestFn(test)()
    const name = `${test.file.name} > ${test.fullTestName}`
    const known = state.covers.get(name)
    if (state.done.has(name) || (known !== undefined && livingAt(known).length === 0)) return
    const loaded = reachedSites()
    if (loaded.length > 0) journal.add({ is: 'loaded', sites: loaded })
    const usual = await measureTwice(test)
    if (usual.outcome.kind !== 'passed') return broken(name, usual.outcome)
    const sites = reachedSites()
    journal.add({ is: 'covers', pass: order.pass, test: name, file: test.file.name, sites })
    if (order.pass === 'quick' && usual.ms > quickTestMs) return
    const trials = livingAt(sites)
    for (const mutant of trials) {
      journal.add({ is: 'trying', mutant, test: name })
      const kind = await endOf(mutant, test, usual)
      if (kind === 'passed') continue
      state.living.delete(mutant)
      journal.add({ is: kind === 'failed' ? 'killed' : 'late', mutant, test: name })
    }
    if (trials.length > 0) {
      const { outcome } = await measureTwice(test)
      if (outcome.kind !== 'passed') broken(`${name}, after its mutants`, outcome)
    }
    journal.add({ is: 'done', pass: order.pass, test: name })
    reachedSites()
  }
}

/**
 * A test that waits for other processes may be late by chance. Such a test counts as late only if it is late twice,
 * with a run without the mutant in between.
 */
async function endOf(mutant: number, test: RunnerTestCase, usual: Usual): Promise<Outcome['kind']> {
  const first = await attemptWith(mutant, test, usual)
  if (first !== 'late' || usual.turns <= fewTurns) return first
  await measure(test)
  return attemptWith(mutant, test, usual)
}

async function attemptWith(mutant: number, test: RunnerTestCase, usual: Usual): Promise<Outcome['kind']> {
  board.fuel = usual.fuel * slack.times + slack.fuel
  board.active = mutant
  const { kind } = await attempt(test, limitsOf(usual))
  board.active = 0
  return kind
}

function livingAt(sites: readonly number[]): readonly number[] {
  const here = new Set(sites)
  return [...state.living].filter(([, site]) => here.has(site)).map(([mutant]) => mutant)
}

interface Usual {
  readonly outcome: Outcome
  readonly fuel: number
  readonly ms: number
  /** The largest number of consecutive turns of the event loop without a run of instrumented code. */
  readonly turns: number
}

async function measure(test: RunnerTestCase): Promise<Usual> {
  board.fuel = Number.MAX_SAFE_INTEGER
  const started = performance.now()
  const idle = { turns: 0 }
  const outcome = await attempt(test, { ms: 60_000, turns: Number.POSITIVE_INFINITY }, idle)
  const { turns } = idle
  return { outcome, fuel: Number.MAX_SAFE_INTEGER - board.fuel, ms: performance.now() - started, turns }
}

/** Measures a test again if it does not pass: on a busy machine a test may be late by chance, but rarely twice. */
async function measureTwice(test: RunnerTestCase): Promise<Usual> {
  const first = await measure(test)
  return first.outcome.kind === 'passed' ? first : measure(test)
}

interface Limits {
  readonly ms: number
  readonly turns: number
}

/** If the test waits for nothing outside of the process, it is late as soon as it has been idle for some turns. */
function limitsOf({ ms, turns }: Usual): Limits {
  return {
    ms: ms * slack.times + slack.ms,
    turns: turns > fewTurns ? Number.POSITIVE_INFINITY : slack.turns,
  }
}

function broken(test: string, outcome: Outcome): void {
  journal.add({ is: 'broken', test, why: outcome.kind === 'failed' ? String(outcome.error) : outcome.kind })
}

function reachedSites(): readonly number[] {
  const sites = [...board.reached.keys()].filter((site) => board.reached[site] === 1)
  board.reached.fill(0)
  return sites
}

async function attempt(test: RunnerTestCase, limits: Limits, idle = { turns: 0 }): Promise<Outcome> {
  state.uncaught.length = 0
  // Vitest keeps the promises of unfinished assertions in the test, and would wait for the promises of an earlier run.
  Reflect.deleteProperty(test, 'promises')
  const ending = { ended: false }
  const outcome = await Promise.race([outcomeOf(test), hang(limits, idle, ending)])
  ending.ended = true
  await setImmediate()
  if (outcome.kind === 'passed' && state.uncaught.length > 0)
    return { kind: 'failed', error: state.uncaught[0] }
  return outcome
}

async function hang(
  { ms, turns }: Limits,
  idle: { turns: number },
  ending: { readonly ended: boolean },
): Promise<Outcome> {
  const started = performance.now()
  let [fuel, idleFor] = [board.fuel, 0]
  while (!ending.ended && idleFor < turns && performance.now() - started < ms) {
    await setImmediate()
    idleFor = board.fuel === fuel ? idleFor + 1 : 0
    fuel = board.fuel
    idle.turns = Math.max(idle.turns, idleFor)
  }
  return { kind: 'late' }
}

async function outcomeOf(test: RunnerTestCase): Promise<Outcome> {
  let outcome: Outcome = { kind: 'passed' }
  const failed = (error: unknown) => {
    outcome = error instanceof OutOfFuel ? { kind: 'late' } : { kind: 'failed', error }
  }
  try {
    await TestRunner.getTestFn(test)()
  } catch (error) {
    failed(error)
  }
  const { onFinished = [] } = test as { onFinished?: ((context: TestContext) => unknown)[] }
  Reflect.deleteProperty(test, 'onFinished')
  for (const finish of onFinished.toReversed()) {
    try {
      await finish(test.context)
    } catch (error) {
      failed(error)
    }
  }
  return outcome
}

export default MutationRunner

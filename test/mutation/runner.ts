import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { type RunnerTestCase, type TestContext, TestRunner } from 'vitest'
import { Journal } from './journal.ts'
import { orderFrom, quickRuns, readPlan } from './plan.ts'
import { installSwitchboard, OutOfFuel } from './switchboard.ts'

type Outcome = { readonly kind: 'passed' | 'late' } | { readonly kind: 'failed'; readonly error: unknown }

/** The remaining work of one process, for all of its test files. */
interface State {
  /** The surviving mutants, each with its place. */
  readonly living: Map<number, number>
  readonly done: Set<string>
  /** The places that each test reaches in this pass, as far as known. */
  readonly covers: Map<string, readonly number[]>
  /** Uncaught errors since the last look. */
  readonly uncaught: unknown[]
}

const order = orderFrom(process.env)
const isAlone = order.pass === 'alone'
const { mutants } = readPlan(order.folder)
const board = installSwitchboard(mutants.at(-1)?.site ?? 0, isAlone ? (order.chosen?.[0] ?? 0) : 0)
const journal = new Journal(order.folder, order.shard)

/** The tolerance beyond what a test takes without mutants. */
const slack = { fuel: 200_000, turns: 300, ms: 1_000, times: 8 }
/** A test that waits for at most this many turns of the event loop waits for nothing outside of the process. */
const fewTurns = 30
const quickTestMs = 150

// One seed makes all runs kill the same mutants. Shrinking is off, because it would repeat each failure.
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
 * Runs each test once without a mutant, and records the places of the mutated sources that it reaches. Then
 * runs it again for every surviving mutant there. Modules are loaded only once.
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
 * Runs a test with a mutant. A test that waits for other processes may be late by chance, so it must be late
 * twice, with a run without the mutant between.
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
  /** The largest number of consecutive turns of the event loop in which no instrumented code ran. */
  readonly turns: number
}

/** Measures a test without a mutant. */
async function measure(test: RunnerTestCase): Promise<Usual> {
  board.fuel = Number.MAX_SAFE_INTEGER
  const started = performance.now()
  const idle = { turns: 0 }
  const outcome = await attempt(test, { ms: 60_000, turns: Number.POSITIVE_INFINITY }, idle)
  const { turns } = idle
  return { outcome, fuel: Number.MAX_SAFE_INTEGER - board.fuel, ms: performance.now() - started, turns }
}

/** Measures a test again if it does not pass: a busy machine may make one run late, but hardly two. */
async function measureTwice(test: RunnerTestCase): Promise<Usual> {
  const first = await measure(test)
  return first.outcome.kind === 'passed' ? first : measure(test)
}

interface Limits {
  readonly ms: number
  readonly turns: number
}

/**
 * Returns the limits of a test. If it waits for nothing outside of the process, it hangs as soon as no code
 * runs any more.
 */
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
  // Removes the assertions for which an earlier run waited in vain.
  Reflect.deleteProperty(test, 'promises')
  const ending = { ended: false }
  const outcome = await Promise.race([outcomeOf(test), hang(limits, idle, ending)])
  ending.ended = true
  await setImmediate()
  if (outcome.kind === 'passed' && state.uncaught.length > 0)
    return { kind: 'failed', error: state.uncaught[0] }
  return outcome
}

/** Resolves when a test has run for too long, or was idle for too long. */
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

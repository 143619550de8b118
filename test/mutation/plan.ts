import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { instrument, type Mutant } from './instrument.ts'

/** What is mutated. */
const sources = ['src/quorum/*.ts', 'src/scan/{ballots,judgement,statement}.ts', 'src/cache/*.ts']

/** What should notice, in the order in which it is asked: the nearest first. */
export const tests = [
  'test/vectors/vectors.test.ts',
  'test/quorum/*.test.ts',
  'test/quorum/*/*.test.ts',
  'test/scan/ballots*.test.ts',
  'test/scan/own-texts.test.ts',
  'test/scan/judge-thread.test.ts',
  'test/cache/{answers,answers.property,envelope,flight,freshness,key,invalidation-log,invalidation-log-laws}.test.ts',
  'test/cache/{redis-client,redis-url,reply-shape,resp-guard,store-memory,tiers}.test.ts',
  'test/contract/store.{memory,tiers,redis}.test.ts',
  'test/telemetry/docs.test.ts',
  'test/cache/*.test.ts',
]

/** How often properties are tried in a quick pass, at most. */
export const quickRuns = 20

/** All mutants of one run, and the sources with all of them in. A mutant's number is its index and one. */
export interface MutationPlan {
  readonly mutants: readonly Mutant[]
  readonly codes: Readonly<Record<string, string>>
}

export function planOf(root: string): MutationPlan {
  const mutants: Mutant[] = []
  const codes: Record<string, string> = {}
  for (const file of filesOf(sources, root)) {
    const first = { mutant: mutants.length + 1, site: (mutants.at(-1)?.site ?? 0) + 1 }
    const instrumented = instrument(file, readFileSync(join(root, file), 'utf8'), first)
    mutants.push(...instrumented.mutants)
    codes[file] = instrumented.code
  }
  return { mutants, codes }
}

/** Each file once, where the first of the patterns has it. */
export function filesOf(patterns: readonly string[], root: string): readonly string[] {
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).sort()))]
}

export function writePlan(folder: string, plan: MutationPlan): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan))
}

export function readPlan(folder: string): MutationPlan {
  return JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')) as MutationPlan
}

/**
 * `quick`: slow tests are left out and properties tried a few times, which kills most. `thorough`: the others meet every
 * test in full. `alone`: one mutant is switched on before anything is loaded.
 */
export type Pass = 'quick' | 'thorough' | 'alone'

/** What one process has to do, as its environment says it. */
export interface Order {
  readonly folder: string
  readonly pass: Pass
  readonly shard: number
  readonly shards: number
  /** The numbers of the mutants that may be switched on; all of them where it is left out. */
  readonly chosen?: readonly number[]
}

export function orderFrom(env: NodeJS.ProcessEnv): Order {
  return JSON.parse(env['MUTATION_ORDER'] ?? '{}') as Order
}

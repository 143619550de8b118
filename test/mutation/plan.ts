import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { instrument, type Mutant } from './instrument.ts'

const mutatedSources = ['src/core/quorum/*.ts', 'src/base/lib/threshold.ts', 'src/core/scan/ballots.ts']

/**
 * The tests that should notice mutants, as patterns. The tests that call the mutated sources most directly come first.
 */
export const tests = [
  'test/vectors/vectors.test.ts',
  'test/quorum/*.test.ts',
  'test/quorum/*/*.test.ts',
  'test/scan/ballots*.test.ts',
  'test/scan/{agreed-answer,part-votes,shared-votes}.test.ts',
  'test/daemon/paging.test.ts',
]

/** The number of times that the quick pass runs a property that sets no number of runs. */
export const quickRuns = 20

/**
 * The mutants of one run, and the code of each file with all of its mutants. The number of a mutant is its index plus
 * 1.
 */
export interface MutationPlan {
  readonly mutants: readonly Mutant[]
  readonly codes: Readonly<Record<string, string>>
}

export function planOf(root: string): MutationPlan {
  const mutants: Mutant[] = []
  const codes: Record<string, string> = {}
  for (const file of filesOf(mutatedSources, root)) {
    const first = { mutant: mutants.length + 1, site: (mutants.at(-1)?.site ?? 0) + 1 }
    const instrumented = instrument(file, readFileSync(join(root, file), 'utf8'), first)
    mutants.push(...instrumented.mutants)
    codes[file] = instrumented.code
  }
  return { mutants, codes }
}

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
 * - `quick` tries no mutant on slow tests, and runs properties a few times only. It kills most mutants.
 * - `thorough` tries the survivors on all tests, in full.
 * - `alone` starts a process for one mutant, which is active before any module is loaded.
 */
export type Pass = 'quick' | 'thorough' | 'alone'

/** The task of one process. The process reads it from `MUTATION_ORDER`. */
export interface Order {
  readonly folder: string
  readonly pass: Pass
  readonly shard: number
  readonly shards: number
  /** The numbers of the mutants to try; all mutants if undefined. */
  readonly chosen?: readonly number[]
}

export function orderFrom(env: NodeJS.ProcessEnv): Order {
  return JSON.parse(env['MUTATION_ORDER'] ?? '{}') as Order
}

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pass } from './plan.ts'

/** An event of one process. The file of events outlives the process. */
export type Entry =
  /** Places that are reached outside of tests: while modules are loaded, or before all tests of a file. */
  | { readonly is: 'loaded'; readonly sites: readonly number[] }
  | { readonly is: 'trying'; readonly mutant: number; readonly test: string }
  | { readonly is: 'killed' | 'late'; readonly mutant: number; readonly test: string }
  /** All living mutants that this test reaches were tried in this pass. */
  | { readonly is: 'done'; readonly pass: Pass; readonly test: string }
  | Covers
  /** A test that fails without any mutant. */
  | { readonly is: 'broken'; readonly test: string; readonly why: string }

export interface Covers {
  readonly is: 'covers'
  /** The pass in which this was measured. A quick pass reaches fewer places. */
  readonly pass: Pass
  readonly test: string
  readonly file: string
  readonly sites: readonly number[]
}

export class Journal {
  readonly path: string

  constructor(folder: string, shard: number) {
    this.path = join(folder, `shard-${shard}.jsonl`)
  }

  add(entry: Entry): void {
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`)
  }

  read(): readonly Entry[] {
    if (!existsSync(this.path)) return []
    const lines = readFileSync(this.path, 'utf8').split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry)
  }
}

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pass } from './plan.ts'

/** An event that a process writes to its journal. The journal remains when the process dies. */
export type Entry =
  /** The sites that are reached outside of tests, for example while modules are loaded. */
  | { readonly is: 'loaded'; readonly sites: readonly number[] }
  | { readonly is: 'trying'; readonly mutant: number; readonly test: string }
  | { readonly is: 'killed' | 'late'; readonly mutant: number; readonly test: string }
  /** The pass has tried all surviving mutants that the test reaches. */
  | { readonly is: 'done'; readonly pass: Pass; readonly test: string }
  | Covers
  | { readonly is: 'broken'; readonly test: string; readonly why: string }

export interface Covers {
  readonly is: 'covers'
  /** The pass that recorded the sites. In the quick pass a test reaches fewer sites. */
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

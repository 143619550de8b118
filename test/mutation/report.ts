import type { Mutant } from './instrument.ts'

export interface Result {
  readonly mutant: Mutant
  /** `late`: a test did not end within its limits. `unreached`: no test reaches the mutant's site. */
  readonly end: 'killed' | 'late' | 'survived' | 'unreached'
}

export function textOf({ file, within, from, to, nth }: Mutant): string {
  const entry = { file, within, from, to, ...(nth === 1 ? {} : { nth }) }
  return JSON.stringify(entry)
}

export function sentencesAbout(results: readonly Result[], minutes: number): string {
  const dead = deadOf(results)
  const share = ((100 * dead) / Math.max(1, results.length)).toFixed(1)
  return `${results.length} mutants, ${dead} killed (${share} %), ${minutes.toFixed(1)} minutes`
}

function deadOf(results: readonly Result[]): number {
  return results.filter(({ end }) => isDead(end)).length
}

export function isDead(end: Result['end']): boolean {
  return end === 'killed' || end === 'late'
}

import type { Equivalent, Known } from './equivalent.ts'
import type { Mutant } from './instrument.ts'

export interface Result {
  readonly mutant: Mutant
  /** `late`: a test did not end within its limits. `unreached`: no test reaches the mutant's site. */
  readonly end: 'killed' | 'late' | 'survived' | 'unreached'
}

export interface Figures {
  readonly missed: readonly Result[]
  readonly wrong: readonly string[]
}

/** @param all every mutant of the sources, chosen for this run or not. */
export function figuresOf(
  results: readonly Result[],
  equivalents: readonly Equivalent[],
  all: readonly Mutant[],
): Figures {
  const listed = listedIn(equivalents)
  const wrong: string[] = []
  const existing = new Set(all.map(idOf))
  for (const [id, known] of listed)
    if (!existing.has(id)) wrong.push(`listed, but not there: ${textOf(known)}`)
  for (const { mutant, end } of results) {
    // A `late` test is no proof that the entry is wrong, because a busy machine may be the cause.
    if (end === 'killed' && listed.has(idOf(mutant))) wrong.push(`listed, but killed: ${textOf(mutant)}`)
  }
  const missed = results.filter(({ mutant, end }) => !isDead(end) && !listed.has(idOf(mutant)))
  return { missed, wrong }
}

export function textOf({ file, within, from, to, nth = 1 }: Known): string {
  const entry = { file, within, from, to, ...(nth === 1 ? {} : { nth }) }
  return `${JSON.stringify(entry)},`
}

export function fileTable(results: readonly Result[], equivalents: readonly Equivalent[]): string {
  const listed = listedIn(equivalents)
  const rows = [...Map.groupBy(results, ({ mutant }) => mutant.file)].map(([file, own]) =>
    rowOf(file, own, listed),
  )
  return [
    '| file | mutants | killed | of these by time | equivalent |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows,
    rowOf('all', results, listed),
  ].join('\n')
}

function rowOf(name: string, results: readonly Result[], listed: ReadonlyMap<string, Known>): string {
  const dead = results.filter(({ end }) => isDead(end)).length
  const late = results.filter(({ end }) => end === 'late').length
  const equivalent = results.filter(({ mutant, end }) => !isDead(end) && listed.has(idOf(mutant))).length
  return `| ${[name, results.length, dead, late, equivalent].join(' | ')} |`
}

export function sentencesAbout(
  results: readonly Result[],
  equivalents: readonly Equivalent[],
  minutes: number,
): string {
  const dead = results.filter(({ end }) => isDead(end)).length
  const share = ((100 * dead) / Math.max(1, results.length)).toFixed(1)
  const listed = equivalents.reduce((sum, { mutants }) => sum + mutants.length, 0)
  return `${results.length} mutants, ${dead} killed (${share} %), ${listed} listed as equivalent, ${minutes.toFixed(1)} minutes`
}

function listedIn(equivalents: readonly Equivalent[]): ReadonlyMap<string, Known> {
  return new Map(equivalents.flatMap(({ mutants }) => mutants.map((known) => [idOf(known), known])))
}

function isDead(end: Result['end']): boolean {
  return end === 'killed' || end === 'late'
}

export function idOf({ file, within, from, to, nth = 1 }: Known): string {
  return JSON.stringify([file, within, from, to, nth])
}

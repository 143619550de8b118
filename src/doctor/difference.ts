import { z } from 'zod'
import { tryJsonText } from '../base/lib/parse-json-text.ts'
import { steps } from './report.ts'

const finding = z.object({
  outcome: z.enum(['ok', 'failed', 'unknown', 'skipped']),
  word: z.string(),
})

const schema = z.object({
  format: z.literal(1),
  at: z.iso.datetime(),
  roster: z.object({ dso: z.string() }),
  superValidators: z
    .array(
      z.object({ names: z.array(z.string()).min(1).readonly(), steps: z.record(z.enum(steps), finding) }),
    )
    .max(1_000)
    .readonly(),
  thresholds: z
    .array(z.object({ name: z.string(), holds: z.boolean() }))
    .max(1_000)
    .readonly(),
})

export type ComparableReport = Readonly<z.infer<typeof schema>>

/**
 * Parses the output of `doctor --json`. For any other text, `why` is a clause that says what is
 * wrong.
 */
export function readEarlierReport(
  text: string,
): { readonly report: ComparableReport } | { readonly why: string } {
  const json = tryJsonText(text)
  if (json === undefined) return { why: 'it is not JSON' }
  const parsed = schema.safeParse(json)
  if (parsed.success) return { report: parsed.data }
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? ''
  return { why: `it is not the output of doctor --json${where === '' ? '' : `: ${where} does not fit`}` }
}

export interface ReportChange {
  /** The name of the super validator. Null if the change is about a threshold. */
  readonly superValidator: string | null
  readonly what: string
  readonly was: string
  readonly is: string
}

export interface ReportDifference {
  readonly since: string
  readonly better: readonly ReportChange[]
  readonly worse: readonly ReportChange[]
  readonly joined: readonly string[]
  readonly left: readonly string[]
}

/**
 * Returns what differs between an earlier report of the doctor and a new one. A step is better or
 * worse only if it passed in one report and failed in the other.
 */
export function differenceOf(earlier: ComparableReport, now: ComparableReport): ReportDifference {
  const before = byName(earlier)
  const after = byName(now)
  const both = [...after.keys()].filter((name) => before.has(name))
  const changes = [
    ...both.flatMap((name) =>
      changesOf(name, before.get(name) as StepFindings, after.get(name) as StepFindings),
    ),
    ...thresholdChanges(earlier, now),
  ]
  return {
    since: earlier.at,
    better: changes.filter(({ isBetter }) => isBetter).map(({ change }) => change),
    worse: changes.filter(({ isBetter }) => !isBetter).map(({ change }) => change),
    joined: [...after.keys()].filter((name) => !before.has(name)),
    left: [...before.keys()].filter((name) => !after.has(name)),
  }
}

/** Whether the reports name two different DSOs. False if one of them names none. */
export function areOfTwoNetworks(one: ComparableReport, other: ComparableReport): boolean {
  const [a, b] = [one.roster.dso, other.roster.dso]
  return a !== '' && b !== '' && a !== b
}

type StepFindings = ComparableReport['superValidators'][number]['steps']

interface JudgedChange {
  readonly isBetter: boolean
  readonly change: ReportChange
}

function byName({ superValidators }: ComparableReport): ReadonlyMap<string, StepFindings> {
  return new Map(superValidators.flatMap(({ names, steps: found }) => names.map((name) => [name, found])))
}

function changesOf(
  superValidator: string,
  before: StepFindings,
  after: StepFindings,
): readonly JudgedChange[] {
  return steps.flatMap((what) => {
    const [was, is] = [before[what], after[what]]
    const outcomes = [was.outcome, is.outcome]
    if (!outcomes.includes('ok') || !outcomes.includes('failed')) return []
    return { isBetter: is.outcome === 'ok', change: { superValidator, what, was: was.word, is: is.word } }
  })
}

function thresholdChanges(earlier: ComparableReport, now: ComparableReport): readonly JudgedChange[] {
  return now.thresholds.flatMap(({ name, holds }) => {
    const was = earlier.thresholds.find((threshold) => threshold.name === name)
    if (was === undefined || was.holds === holds) return []
    const said = (holding: boolean) => (holding ? 'holds' : 'does not hold')
    return {
      isBetter: holds,
      change: { superValidator: null, what: name, was: said(was.holds), is: said(holds) },
    }
  })
}

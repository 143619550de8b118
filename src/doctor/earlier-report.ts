import { z } from 'zod'
import { parseJsonText } from '../lib/parse-json-text.ts'
import { type ExaminedThreshold, type StepFinding, type StepId, steps } from './report.ts'

const finding = z.object({
  outcome: z.enum(['ok', 'failed', 'unknown', 'skipped']),
  word: z.string(),
})

const schema = z.object({
  format: z.literal(1),
  at: z.iso.datetime(),
  roster: z.object({ dso: z.string() }),
  superValidators: z
    .array(z.object({ names: z.array(z.string()).min(1), steps: z.record(z.enum(steps), finding) }))
    .max(1_000),
  thresholds: z.array(z.object({ name: z.string(), holds: z.boolean() })).max(1_000),
})

export interface ComparableReport {
  readonly format: 1
  readonly at: string
  readonly roster: { readonly dso: string }
  readonly superValidators: readonly {
    readonly names: readonly string[]
    readonly steps: Readonly<Record<StepId, Pick<StepFinding, 'outcome' | 'word'>>>
  }[]
  readonly thresholds: readonly Pick<ExaminedThreshold, 'name' | 'holds'>[]
}

/**
 * Parses the output of `doctor --json`. For any other text, `why` is a clause that says what is
 * wrong.
 */
export function readEarlierReport(
  text: string,
): { readonly report: ComparableReport } | { readonly why: string } {
  let json: unknown
  try {
    json = parseJsonText(text)
  } catch {
    return { why: 'it is not JSON' }
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return { report: parsed.data }
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? ''
  return { why: `it is not the output of doctor --json${where === '' ? '' : `: ${where} does not fit`}` }
}

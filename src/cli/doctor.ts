import { systemClock } from '../base/lib/clock.ts'
import {
  areOfTwoNetworks,
  type ComparableReport,
  differenceOf,
  type ReportChange,
  type ReportDifference,
  readEarlierReport,
} from '../doctor/difference.ts'
import { letterToAll } from '../doctor/letters.ts'
import { examineNetwork } from '../doctor/open.ts'
import {
  type DoctorReport,
  type ExaminedSuperValidator,
  steps,
  toldSteps,
  type VerdictKind,
} from '../doctor/report.ts'
import { commandConfig } from './asking-process.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, printJson } from './print.ts'
import { readGiven } from './read-given.ts'
import type { CommandOptions } from './seeds.ts'
import { columns } from './table.ts'

const codes: Readonly<Record<VerdictKind, number>> = {
  well: exitCodes.ok,
  'some-missing': exitCodes.failed,
  'not-enough': exitCodes.thresholdUnmet,
}

const width = 100
/**
 * Resolves with:
 * - 0 if all is well
 * - 1 if every threshold can be met, but something is wrong
 * - 2 if a threshold cannot be met
 * - one of `exitCodes` if nothing can be examined or compared
 */
export async function doctor(
  { json, diff }: { readonly json: boolean; readonly diff: string | undefined },
  print: Print,
  options: CommandOptions = {},
): Promise<number> {
  const earlier = diff === undefined ? undefined : await readReport(diff)
  if (earlier !== undefined && 'why' in earlier)
    return misused(print, `${diff} cannot be compared with: ${earlier.why}.`)
  const report = await examined(print, options)
  if (typeof report === 'number') return report
  if (earlier !== undefined && areOfTwoNetworks(earlier.report, report))
    return misused(print, `${diff} cannot be compared with: its DSO is ${earlier.report.roster.dso}.`)
  const difference = earlier && differenceOf(earlier.report, report)
  if (json) printJson(print, { ...report, ...(difference && { difference }) })
  else for (const line of shown(report, difference)) print.out(line)
  return codes[report.verdict.kind]
}

async function examined(print: Print, options: CommandOptions): Promise<DoctorReport | number> {
  const config = await commandConfig(print, options)
  if (typeof config === 'number') return config
  try {
    return await examineNetwork(config, {
      clock: systemClock,
      progress: (done, of) => print.progress?.(`examining ${of} scans: ${done} done`),
    })
  } finally {
    print.progress?.(undefined)
  }
}

async function readReport(
  file: string,
): Promise<{ readonly report: ComparableReport } | { readonly why: string }> {
  try {
    return readEarlierReport((await readGiven(file)).toString())
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}

function* shown(report: DoctorReport, difference: ReportDifference | undefined): Iterable<string> {
  const { superValidators, verdict, egress } = report
  yield* table(superValidators)
  yield 'A word in capitals is a failure; - was not tried or does not exist here; ? is not known;'
  yield 'unconf. means that too few others say the same.'
  yield ''
  for (const sentence of verdict.sentences) yield* wrapped(sentence)
  if (difference !== undefined) yield* differenceLines(difference)
  yield* allReasons(superValidators)
  yield ''
  yield* wrapped(egress.says)
  yield* texts(report)
}

/**
 * The letters ask super validators to allow this machine to use their scans. If all of them refuse
 * this machine for the same reason, they all get the same letter.
 */
function* texts(report: DoctorReport): Iterable<string> {
  const forAll = letterToAll(report)
  const letters =
    forAll === undefined
      ? report.letters.map(({ superValidators, subject, text }) => ({
          title: `${superValidators.join(', ')}: ${subject}`,
          text,
        }))
      : [{ title: `all ${report.letters.length} of them`, text: forAll }]
  for (const { title, text } of letters) {
    yield ''
    yield* wrapped(`--- A text for ${title}`)
    for (const line of text.split('\n')) yield* wrapped(line)
  }
}

/** Names are whole: before there is a roster they are the hosts of seeds, which may differ at their ends alone. */
function table(superValidators: readonly ExaminedSuperValidator[]): readonly string[] {
  const header = steps.map((step) => headings[step] ?? step)
  const rows = superValidators.map((one) => {
    const words = steps.map((step) => {
      const { outcome, word } = one.steps[step]
      return outcome === 'failed' ? word.toUpperCase() : word
    })
    return [one.names.join(', '), ...words]
  })
  return columns([['super validator', ...header], ...rows])
}

const headings: Readonly<Partial<Record<string, string>>> = { synchronizer: 'synchr.' }

function* allReasons(superValidators: readonly ExaminedSuperValidator[]): Iterable<string> {
  const [first] = superValidators
  const kinds = new Set(
    superValidators.map((one) =>
      toldSteps(one)
        .map((step) => `${step} ${one.steps[step].word}`)
        .join(),
    ),
  )
  if (first === undefined || superValidators.length < 2 || kinds.size > 1 || kinds.has('')) {
    for (const one of superValidators) yield* reasons(one)
    return
  }
  yield ''
  yield `All ${superValidators.length} have the same reason. The first one stands for all:`
  yield* reasons(first)
}

function* reasons(one: ExaminedSuperValidator): Iterable<string> {
  const { names, url, steps: findings } = one
  const told = toldSteps(one)
  if (told.length === 0) return
  yield ''
  yield* wrapped(`${names.join(', ')}${url === null ? '' : ` at ${url}`}:`)
  for (const step of told) yield* wrapped(`  ${step}: ${findings[step].detail}`)
}

function* differenceLines({ since, better, worse, joined, left }: ReportDifference): Iterable<string> {
  yield ''
  if (better.length + worse.length + joined.length + left.length === 0)
    yield `Nothing became better or worse since ${since}.`
  else yield `Since ${since}:`
  for (const change of worse) yield* wrapped(`  worse: ${changeText(change)}`)
  for (const change of better) yield* wrapped(`  better: ${changeText(change)}`)
  for (const name of joined) yield* wrapped(`  new: ${name}`)
  for (const name of left) yield* wrapped(`  gone: ${name}`)
}

function changeText({ superValidator, what, was, is }: ReportChange): string {
  return `${superValidator === null ? '' : `${superValidator}, `}${what}: it was "${was}", and is "${is}"`
}

function* wrapped(line: string): Iterable<string> {
  const margin = /^ */.exec(line)?.[0] ?? ''
  let current = ''
  for (const word of line.trim().split(' ')) {
    const longer = current === '' ? `${margin}${word}` : `${current} ${word}`
    if (current !== '' && longer.length > width) {
      yield current
      current = `${margin}${word}`
    } else current = longer
  }
  yield current
}

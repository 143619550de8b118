import type { SpliceError } from '../base/errors/splice.ts'
import { byName } from '../base/lib/by-name.ts'
import { momentOf, systemClock } from '../base/lib/clock.ts'
import type { Answered } from '../client/answered.ts'
import { fromServed } from '../client/from-served.ts'
import type { Read } from '../core/reads/read.ts'
import { doubtOf, type Examination, Examiner, type Stance, type Stand } from '../doctor/examiner.ts'
import { votesOf } from '../server/ui/incidents.ts'
import {
  type AskedRead,
  askWith,
  errorOf,
  exitCodeOf,
  exitCodeOfError,
  singleSeedOf,
  tellAnswer,
} from './ask.ts'
import { showSeconds } from './durations.ts'
import { type Print, printJson } from './print.ts'
import type { CommandOptions } from './seeds.ts'
import { statementLines } from './statement-lines.ts'
import { columns } from './table.ts'

const stances: Readonly<Record<Stance, string>> = {
  agreed: 'agreed',
  dissented: 'DISSENTED',
  voted: 'voted',
  silent: 'silent',
  unasked: 'not asked',
}

export async function askEveryone(asked: AskedRead, print: Print, options: CommandOptions): Promise<number> {
  const { read, json } = asked
  return askWith(asked, print, options, async ({ path: { inquiring, discovery } }, params) => {
    const examination = await new Examiner(inquiring).examine({ read, params }, { everyone: true })
    const answer = answerOf(read, examination)
    const { error } = examination
    print.progress?.(undefined)
    if (json)
      printJson(print, {
        ...(answer ?? (error && errorOf(error))),
        ...reportOf(examination),
        ...singleSeedOf(discovery),
      })
    else tell({ asked, answer, error }, examination, print)
    return answer === undefined ? exitCodeOfError(error as SpliceError) : exitCodeOf(answer)
  })
}

interface AskedOutcome {
  readonly asked: AskedRead
  readonly answer: Answered<unknown> | undefined
  /** The error that a caller of the daemon would get for this read. */
  readonly error: SpliceError | undefined
}

function tell({ asked, answer, error }: AskedOutcome, examination: Examination, print: Print): void {
  if (answer !== undefined) tellAnswer(answer, asked, print)
  else print.err(`${error?.message}`)
  const warning = answer && warningOf(examination)
  if (warning !== undefined) print.err(`warning: ${warning}`)
  if (answer?.kind === 'value') print.out('')
  for (const line of standLines(examination, warning !== undefined, print.terminal?.columns)) print.out(line)
  for (const line of disagreementLines(examination)) print.out(line)
}

/**
 * The agreement names every super validator that gave the answer, including those that replied
 * after the verdict.
 */
function answerOf(read: Read, { answer, stands }: Examination): Answered<unknown> | undefined {
  if (answer === undefined) return undefined
  const { operators, ...agreement } = answer.agreement
  const agreeing = stands.filter(({ stance }) => stance === 'agreed')
  const all = {
    ...agreement,
    agreed: agreeing.flatMap(({ names }) => names).sort(byName),
    ...(operators && {
      operators: { ...operators, agreed: new Set(agreeing.map(({ operator }) => operator)).size },
    }),
  }
  const served = { answer: { ...answer, agreement: all }, agreedAt: momentOf(systemClock) }
  return fromServed(read, served, systemClock)
}

function warningOf(examination: Examination): string | undefined {
  const { stands, electorate, disagreement } = examination
  const { f, threshold } = electorate.superValidators
  const advice = 'these votes do not show who is right. `--threshold 2f+1` asks for more votes.'
  if (doubtOf(examination) === 'beyond-f') {
    const against = stands.filter(({ stance }) => stance === 'dissented')
    const who = against.flatMap(({ names }) => names).join(', ')
    return `${who} contradict this answer: ${against.length} are more than the f = ${f} that may lie or fail, so at least one assumption is broken, and ${advice}`
  }
  const { statements = [], agreed = null } = disagreement ?? {}
  const isRival =
    agreed !== null &&
    statements.some((one) => one.digest !== agreed && votesOf(one.who, disagreement ?? {}) >= threshold)
  return isRival ? `another answer also has the threshold of ${threshold}: ${advice}` : undefined
}

function reportOf(examination: Examination) {
  const { outcome, rule, seconds, stands, disagreement } = examination
  const warning = warningOf(examination)
  const { statements = [], agreed = null } = disagreement ?? {}
  const superValidators = stands.map((stand) =>
    stand.seconds === undefined ? stand : { ...stand, seconds: rounded(stand.seconds) },
  )
  const found = {
    outcome,
    rule,
    seconds: rounded(seconds),
    superValidators,
    statements,
    agreedStatement: agreed,
  }
  return warning === undefined ? found : { ...found, warning }
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

function* standLines(
  examination: Examination,
  isDoubtful: boolean,
  width: number | undefined,
): Iterable<string> {
  const header = ['super validator', 'operator', 'said', 'time', 'why']
  const rows = examination.stands.map((stand) => standRow(stand, isDoubtful))
  yield* columns([header, ...rows], width)
  yield ''
  yield `decided after ${showSeconds(examination.seconds)}: ${examination.rule}`
}

function standRow({ names, operator, stance, seconds, why }: Stand, isDoubtful: boolean): readonly string[] {
  const time = seconds === undefined ? '-' : showSeconds(seconds)
  const said = isDoubtful && stance === 'dissented' ? 'differs' : stances[stance]
  return [names.join(', '), names.includes(operator) ? '-' : operator, said, time, why ?? '']
}

function* disagreementLines({ disagreement }: Examination): Iterable<string> {
  if (disagreement === undefined) return
  const { statements, agreed } = disagreement
  const agreedBody = statements.find(({ digest }) => digest === agreed)?.body
  for (const { who, body, digest } of statements) {
    if (digest === agreed) continue
    yield ''
    yield* statementLines(who, body, agreedBody)
  }
}

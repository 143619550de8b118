import { SpliceError } from '../base/errors/splice.ts'
import { systemClock } from '../base/lib/clock.ts'
import type { AgreedValue, Answered } from '../client/answered.ts'
import { fromServed } from '../client/from-served.ts'
import { checkedQuestion } from '../client/question.ts'
import type { AnyArguments } from '../core/reads/arguments.ts'
import { paramsOf } from '../core/reads/canonical-params.ts'
import type { ReadId } from '../core/reads/endpoints.ts'
import type { Params, Read } from '../core/reads/read.ts'
import type { ReadPath } from '../core/scan/open.ts'
import type { SeedState } from '../core/scan/seed-outcome.ts'
import { type AskingProcess, startAsking } from './asking-process.ts'
import { exitCodes } from './exit-codes.ts'
import { type Print, printJson } from './print.ts'
import { seedCounts, seedLines } from './seed-lines.ts'
import type { CommandOptions } from './seeds.ts'

export interface AskedRead {
  readonly read: Read
  readonly given: AnyArguments
  readonly json: boolean
  readonly all?: boolean
  /**
   * Whether to ask the super validators even if the mirror, the daemon's copy of the names, has the
   * answer.
   */
  readonly live: boolean
  readonly show: (answer: AgreedValue<unknown>, print: Print) => void
}

export async function ask(asked: AskedRead, print: Print, options: CommandOptions): Promise<number> {
  const { read, live } = asked
  return askWith(asked, print, options, async ({ path: { reader, discovery } }, params) => {
    const caller = live ? { notBefore: systemClock.wall() } : {}
    const answer = fromServed(read, await reader.answer({ read, params }, caller), systemClock)
    print.progress?.(undefined)
    if (asked.json) printJson(print, { ...answer, ...singleSeedOf(discovery) })
    else tellAnswer(answer, asked, print)
    return exitCodeOf(answer)
  })
}

/**
 * Calls `asks` even if no roster (the list of super validators) is agreed. If the question is
 * invalid or `asks` throws a `SpliceError`, prints the error and resolves with its exit code.
 */
export async function askWith(
  { read, given, json, all = false }: AskedRead,
  print: Print,
  options: CommandOptions,
  asks: (asking: AskingProcess, params: Params) => Promise<number>,
): Promise<number> {
  const tell = (error: unknown, seeds: readonly SeedState[] = []) => {
    print.progress?.(undefined)
    if (!(error instanceof SpliceError)) throw error
    const isWithoutRoster = error.code === 'noRosterYet'
    if (json) printJson(print, { ...errorOf(error), ...(isWithoutRoster && { seeds }) })
    else print.err(error.message)
    if (isWithoutRoster && !json) tellSeeds(seeds, all, print)
    return exitCodeOfError(error)
  }
  let params: Params
  try {
    checkedQuestion(read.id as ReadId, given)
    params = paramsOf(read, given)
  } catch (error) {
    return tell(error)
  }
  const asking = await startAsking(print, options)
  if (typeof asking === 'number') return asking
  await using _ = asking
  if (asking.path.discovery.status.onOneSeedsWord)
    print.err(
      'warning: one seed alone says who the super validators are, so this answer is worth no more than its word',
    )
  print.progress?.('asking the super validators')
  try {
    return await asks(asking, params)
  } catch (error) {
    return tell(error, asking.path.discovery.status.seeds)
  }
}

function tellSeeds(seeds: readonly SeedState[], all: boolean, print: Print): void {
  if (!all) return print.err(seedCounts(seeds))
  for (const line of seedLines(seeds, print.terminal?.columns)) print.out(line)
}

export function singleSeedOf({ status }: ReadPath['discovery']): { readonly singleSeed?: true } {
  return status.onOneSeedsWord ? { singleSeed: true } : {}
}

export function tellAnswer(answer: Answered<unknown>, { show }: Pick<AskedRead, 'show'>, print: Print): void {
  if (answer.kind === 'value') show(answer, print)
  else print.err(`${answer.error} (${provenanceOf(answer).join('; ')})`)
}

export function errorOf({ code, status, message }: SpliceError) {
  return { kind: 'error', code, status, error: message }
}

export function exitCodeOfError({ code, status }: SpliceError): number {
  if (code === 'noConsensus') return exitCodes.disagreement
  return status >= 500 || code === 'goneFromScans' ? exitCodes.unavailable : exitCodes.badQuestion
}

export function provenanceOf(answer: Answered<unknown>): readonly string[] {
  const { asOf, agreement } = answer
  if (asOf === undefined) return [agreedBy(agreement)]
  const time = asOf.at.toISOString().replace(/\.000Z$/, 'Z')
  return [agreedBy(agreement), `as of ${time}, from the mirror`]
}

export function agreedBy(agreement: Answered<unknown>['agreement']): string {
  const { agreed, threshold, voters, operators, complete } = agreement
  const companies =
    operators === undefined
      ? ''
      : `; ${operators.agreed} operators of ${operators.voters}, ${operators.threshold} are needed`
  const items = complete ? '' : '; agreed item by item'
  const unprotected = agreement.protected ? '' : '; NOT protected against one that lies'
  return `agreed by ${agreed.join(', ')}: ${agreed.length} of ${voters}, ${threshold} are needed${companies}${items}${unprotected}`
}

export function exitCodeOf(answer: Answered<unknown>): number {
  if (answer.kind === 'value') return exitCodes.ok
  return answer.status === 404 ? exitCodes.absent : exitCodes.badQuestion
}

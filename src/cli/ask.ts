import type { AgreedValue, Answered } from '../client/answered.ts'
import { fromServed } from '../client/from-served.ts'
import type { LoadConfigOptions } from '../config/load.ts'
import { SpliceError } from '../errors/splice.ts'
import { systemClock } from '../lib/clock.ts'
import { type AnyArguments, paramsOf } from '../reads/arguments.ts'
import type { Read } from '../reads/read.ts'
import { startAsking } from './asking.ts'
import { exitCodes, type Print } from './print.ts'

/** The question of one command. */
interface Asked {
  readonly read: Read
  readonly given: AnyArguments
  /** Prints one line of JSON, whatever the outcome. */
  readonly json: boolean
  /** Prints a value, and who agreed on it, for people. */
  readonly show: (answer: AgreedValue<unknown>, print: Print) => void
}

/** Asks a quorum from this machine and prints the answer. Resolves with the exit code. */
export async function ask(asked: Asked, print: Print, options: LoadConfigOptions): Promise<number> {
  const { read, given, json, show } = asked
  try {
    const params = paramsOf(read, given)
    const asking = await startAsking(print, options)
    if (typeof asking === 'number') return asking
    await using _ = asking
    print.progress?.('asking the super validators')
    const answer = fromServed(read, await asking.path.reader.answer({ read, params }), systemClock)
    print.progress?.(undefined)
    if (json) print.out(JSON.stringify(answer))
    else if (answer.kind === 'value') show(answer, print)
    else print.err(`${answer.error} (${agreedBy(answer)})`)
    return exitCodeOf(answer)
  } catch (error) {
    print.progress?.(undefined)
    return tellError(error, json, print)
  }
}

/**
 * Prints the error of a read and returns the exit code.
 * @throws `error` if it is not a `SpliceError`.
 */
function tellError(error: unknown, json: boolean, print: Print): number {
  if (!(error instanceof SpliceError)) throw error
  const { code, status, message } = error
  if (json) print.out(JSON.stringify({ kind: 'error', code, status, error: message }))
  else print.err(message)
  if (code === 'noConsensus') return exitCodes.disagreement
  return status >= 500 || code === 'goneFromScans' ? exitCodes.unavailable : exitCodes.badQuestion
}

/** Formats who agreed on an answer, and how many had to. */
export function agreedBy({ agreement }: Answered<unknown>): string {
  const { agreed, threshold, voters, operators, complete } = agreement
  const companies =
    operators === undefined
      ? ''
      : `; ${operators.agreed} operators of ${operators.voters}, ${operators.threshold} are needed`
  const items = complete ? '' : '; agreed item by item'
  const unprotected = agreement.protected ? '' : '; NOT protected against one that lies'
  return `agreed by ${agreed.join(', ')}: ${agreed.length} of ${voters}, ${threshold} are needed${companies}${items}${unprotected}`
}

function exitCodeOf(answer: Answered<unknown>): number {
  if (answer.kind === 'value') return exitCodes.ok
  return answer.status === 404 ? exitCodes.absent : exitCodes.badQuestion
}

import { type DestinationStream, destination } from 'pino'
import pinoPretty from 'pino-pretty'
import type { ListeningUrls } from './events.ts'

/** Fields of the line `listening`, which become lines of their own, and those that every line has. */
const hidden = ['service', 'version', 'http', 'operations', 'control', 'superValidators', 'example']

/** Writes lines for people, with colours if the terminal has them and `NO_COLOR` is not set. */
export function prettyLines(
  to: DestinationStream = destination(1),
  colorize = pinoPretty.isColorSupported,
): DestinationStream {
  const pretty = pinoPretty.prettyFactory({
    colorize,
    singleLine: true,
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss',
    ignore: hidden.join(),
  })
  return {
    write(line) {
      to.write(pretty(forPeople(line)))
      if (line.endsWith('"msg":"listening"}\n')) to.write(whereToLook(JSON.parse(line)))
    },
  }
}

/** Rounds seconds to milliseconds, and drops the fields of the last line, whose message has them. */
function forPeople(line: string): string {
  const { seconds, requestsCut, ...fields } = JSON.parse(line) as Record<string, unknown>
  if (requestsCut !== undefined) return JSON.stringify(fields)
  if (typeof seconds !== 'number') return line
  const { msg, ...rest } = fields
  return JSON.stringify({ ...rest, seconds: Math.round(seconds * 1_000) / 1_000, msg })
}

function whereToLook({ http, operations, example }: ListeningUrls): string {
  const tryIt = example === undefined ? '' : `  try   ${example}\n`
  return `  API   ${http}\n  page  ${operations}\n${tryIt}`
}

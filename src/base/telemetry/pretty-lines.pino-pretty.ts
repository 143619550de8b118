import type { DestinationStream } from 'pino'
import pinoPretty from 'pino-pretty'
import { plainText } from '../lib/plain-text.ts'
import type { ListeningUrls } from './listening.ts'

/**
 * `service` and `version` are the same on every line. The other fields occur only in the line
 * `listening`. `whereToLook` prints them, except `superValidators`.
 */
const hidden = ['service', 'version', 'http', 'operations', 'control', 'superValidators', 'example']

export function prettyLines(
  to: DestinationStream,
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

/**
 * Other lines show fields with these names, so only the line `listening` leaves them out.
 * `JSON.stringify` omits undefined fields.
 */
const shownBelow = {
  network: undefined,
  threshold: undefined,
  dsoPartyId: undefined,
  configurationFiles: undefined,
  pid: undefined,
}

function forPeople(line: string): string {
  const parsed = JSON.parse(line, (key, value: unknown) => {
    if (typeof value !== 'string') return value
    return key === 'stack' ? plainStack(value) : plainText(value)
  }) as Record<string, unknown>
  if (parsed['msg'] === 'listening') return JSON.stringify({ ...parsed, ...shownBelow })
  const { seconds, requestsCut, ...fields } = parsed
  if (requestsCut !== undefined) return JSON.stringify(fields)
  if (typeof seconds !== 'number') return JSON.stringify(parsed)
  const { msg, ...rest } = fields
  return JSON.stringify({ ...rest, seconds: Math.round(seconds * 1_000) / 1_000, msg })
}

/** The message at the beginning of a stack may be a stranger's text of several lines. */
function plainStack(stack: string): string {
  const lines = stack.split('\n')
  const frames = lines.findIndex((line) => line.startsWith('    at '))
  const message = frames < 0 ? lines : lines.slice(0, frames)
  const rest = frames < 0 ? [] : lines.slice(frames)
  return [plainText(message.join('\n')), ...rest.map(plainText)].join('\n')
}

function whereToLook({ http, operations, control, example, network, threshold }: ListeningUrls): string {
  const faults = control === undefined ? '' : `  faults of the localnet  ${control}\n`
  const tryIt = example === undefined ? '' : `  try   ${example}\n`
  return `  API   ${http}\n  page  ${operations}\n${faults}${tryIt}  on    ${network}, threshold ${threshold}\n`
}

import { joinedWithAnd } from '../base/lib/joined-with-and.ts'
import { addressesToAllow } from './egress.ts'
import type { DoctorReport, ExaminedSuperValidator, Letter } from './report.ts'

/** The findings which show that a super validator refuses this machine, as `<step> <word>`. */
const refusals: Readonly<Partial<Record<string, string>>> = {
  'tcp dropped': 'connections are dropped silently',
  'tcp refused': 'connections are refused',
  'tcp reset': 'connections are reset',
  'tls reset': 'connections are reset during the TLS handshake',
  'tls timeout': 'the TLS handshake gets no answer',
  'version timeout': 'requests get no answer',
  'version 401': 'requests are answered with status 401',
  'version 403': 'requests are answered with status 403',
  'dso timeout': 'requests get no answer',
  'dso 401': 'requests are answered with status 401',
  'dso 403': 'requests are answered with status 403',
}

export interface LetterOptions {
  readonly addresses: readonly string[]
  /** The DSO's party id, which identifies the network. Empty if it is unknown. */
  readonly dso: string
  readonly at: string
}

export function lettersFor(
  superValidators: readonly ExaminedSuperValidator[],
  options: LetterOptions,
): readonly Letter[] {
  return superValidators.flatMap((one) => {
    const seen = refusalOf(one)
    return seen === undefined || one.url === null ? [] : [letterTo(one, one.url, seen, options)]
  })
}

/**
 * Returns one letter to all super validators, in place of the single ones, if all of them refuse
 * this machine for the same reason.
 */
export function letterToAll({
  superValidators,
  letters,
  egress,
  roster,
  at,
}: DoctorReport): string | undefined {
  const reasons = new Set(superValidators.map(refusalOf))
  const [seen] = reasons
  if (letters.length < 2 || letters.length < superValidators.length || reasons.size > 1) return undefined
  const from = joinedWithAnd(addressesToAllow(egress))
  const says = `from our address ${from} ${seen}, seen at ${at}.`
  const allow = `${from} on the host below that is yours`
  return [
    textTo('operators of the super validators below', roster.dso, says, allow),
    '',
    ...letters.map(({ superValidators: names, url }) => `  ${joinedWithAnd(names)}: ${new URL(url).host}`),
  ].join('\n')
}

function refusalOf({ steps }: ExaminedSuperValidator): string | undefined {
  for (const [step, { outcome, word }] of Object.entries(steps)) {
    const seen = outcome === 'failed' ? refusals[`${step} ${word}`] : undefined
    if (seen !== undefined) return seen
  }
  return undefined
}

function letterTo(
  { names, operator, steps, addresses }: ExaminedSuperValidator,
  url: string,
  seen: string,
  { addresses: egress, dso, at }: LetterOptions,
): Letter {
  const { host, hostname, port, protocol } = new URL(url)
  const service = `TCP port ${port || (protocol === 'https:' ? '443' : '80')}`
  const who = joinedWithAnd(names)
  const quoted = /: "(.*?)"\./.exec(`${steps.version.detail} ${steps.dso.detail}`)?.[1]
  const from = joinedWithAnd(egress)
  const to = `operator of the super validator ${who}${operator === null ? '' : ` (${operator})`}`
  const reached = addresses.length === 0 ? host : `${host} (${addresses.join(', ')})`
  const said = quoted === undefined ? '' : `\nYour side says: "${quoted}"`
  const says = `from our address ${from} to ${reached} ${seen}, seen at ${at}.${said}`
  return {
    superValidators: names,
    operator,
    url,
    subject: `Please allow ${from} to read the scan of ${who}`,
    text: textTo(to, dso, says, `${service} on ${hostname} for ${from}`),
  }
}

function textTo(to: string, dso: string, says: string, allow: string): string {
  return `To the ${to}:

We read the scans of all super validators${dso === '' ? '' : ` of the network of ${dso}`}, and cannot read yours:
${says}

Please allow ${allow}, for the paths /api/scan/ and /registry/.
If our address is allowed already, please tell us what your side sees of these requests.`
}

import { distance, similarWord } from '../lib/similar-words.ts'
import { keyWithoutVariable } from './keys-without-variable.ts'

/** The variables that configure the package node-config. */
const choosing = ['NODE_CONFIG', 'NODE_CONFIG_ENV', 'NODE_CONFIG_DIR']
/**
 * An unknown variable with the same first word as a variable of this daemon is a warning. These first words are
 * exempt, because other programs use them too, as in `NODE_OPTIONS`.
 */
const sharedPrefixes = ['HTTPS', 'LOG', 'NO', 'NODE', 'OTEL', 'REDIS']
/**
 * The variables for forward proxies. They are never reported as unknown, whether in upper or in lower case.
 */
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'FTP_PROXY']
/** Variables of other programs that resemble a variable of this daemon by chance. They cause no warning. */
const elsewhere = ['HTTPS_HOST', 'HTTPS_PORT']
/** Variables that users may mean for this daemon, but that many other programs read. Each causes only a warning. */
const perhapsElsewhere = ['LOGLEVEL', 'REDIS_URI']
/**
 * A variable with one wrong letter counts as a typo of a known name. If the known name has at least this many
 * letters, a variable with two wrong letters counts as a typo too.
 */
const lettersForTwoEdits = 14

/**
 * A sentence for each environment variable that looks like a variable of this daemon but that the daemon does
 * not read.
 */
export interface UnknownVariables {
  /** The sentences about variables that can hardly be meant for another program. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Finds environment variables that look like variables of this daemon but that the daemon does not read.
 * - A typo of a known name is a problem, because the user believes that the option is set. For a name in
 *   `perhapsElsewhere`, it is a warning.
 * - Some options have no variable. A name that would fit such an option is a problem for the same reason. If
 *   the name begins with `HTTP_`, it is a warning.
 * - A name that has only its first word in common with a variable of the daemon is a warning, except for
 *   `sharedPrefixes`.
 *
 * @param options the names of the variables that set options.
 * @param mapped the names of further variables, which configuration files map to options.
 */
export function unknownVariables(
  variables: Readonly<Record<string, string>>,
  options: readonly string[],
  mapped: readonly string[],
): UnknownVariables {
  const own = [...options, ...choosing]
  const known = new Set([...own, ...mapped])
  const prefixes = new Set(own.filter((name) => name.includes('_')).map(firstWord))
  for (const prefix of sharedPrefixes) prefixes.delete(prefix)
  const problems: string[] = []
  const warnings: string[] = []
  for (const [name, value] of Object.entries(variables)) {
    if (known.has(name) || isForeign(name) || isServiceLink(name, value)) continue
    const key = keyWithoutVariable(name)
    // `similarWord` does not take an abbreviation for a longer word. For example, it does not take
    // `AUTH_AUD`, a variable of other programs, for `AUTH_AUDIENCE`.
    const meant = similarWord(name, own)
    const text = `${name}: unknown variable${meant === undefined ? '' : `; did you mean ${meant}?`}`
    if (key !== undefined) {
      // A variable such as `HTTP_SHUTDOWN_TIMEOUT` may belong to another program, so it causes only a warning.
      const found = firstWord(name) === 'HTTP' ? warnings : problems
      found.push(`${name}: no variable sets ${key}; set it in config/local.yaml or NODE_CONFIG`)
    } else if (perhapsElsewhere.includes(name)) warnings.push(text)
    else if (own.some((other) => isTypo(name, other)))
      problems.push(`${text} (unset it if another program reads it)`)
    else if (prefixes.has(firstWord(name))) warnings.push(text)
  }
  return { problems, warnings }
}

function isForeign(name: string): boolean {
  return proxyVariables.includes(name.toUpperCase()) || elsewhere.includes(name)
}

function isTypo(name: string, known: string): boolean {
  const most = known.length >= lettersForTwoEdits ? 2 : 1
  return Math.abs(name.length - known.length) <= most && distance(name, known) <= most
}

function firstWord(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('_')))
}

/**
 * Whether a variable looks like those that Kubernetes sets for each of its services. For a service `ledger`, these are
 * for example `LEDGER_SERVICE_HOST` and `LEDGER_PORT`.
 */
function isServiceLink(name: string, value: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_\w+)?$/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    /^(tcp|udp|sctp):\/\//.test(value)
  )
}

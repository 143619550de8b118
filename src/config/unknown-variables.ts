import { distance, suggestion } from '../lib/similar-words.ts'
import { keyWithoutVariable } from './keys-without-variable.ts'

/** The environment variables that choose the configuration files. */
const choosing = ['NODE_CONFIG', 'NODE_CONFIG_ENV', 'NODE_CONFIG_DIR']
/**
 * The first words that variables of this daemon share with those of other programs. Such a word alone does not show
 * for which program a variable is meant.
 */
const sharedPrefixes = ['HTTPS', 'LOG', 'NO', 'NODE', 'OTEL', 'REDIS']
/** The variables of proxies, which programs also read in lower case. */
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'FTP_PROXY']
/** Variables of other programs that resemble one of this daemon's by chance. They are not mentioned. */
const elsewhere = ['HTTPS_HOST', 'HTTPS_PORT']
/**
 * Variables that users may mean for this daemon, but that many other programs read. Each of them causes only a
 * warning.
 */
const perhapsElsewhere = ['LOGLEVEL', 'REDIS_URI']
/**
 * An unknown name counts as a typo of a known one if one letter is wrong. If the known name has at least this many
 * letters, two may be.
 */
const lettersForTwoEdits = 14

/** The environment variables that look like those of this daemon but that it does not read: a sentence for each. */
export interface UnknownVariables {
  /** Variables that can hardly be meant for another program. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Finds environment variables that look like this daemon's but are not read. A typo of a known name is a problem,
 * because its user believes that the option is set. So is a name after an option that no variable sets. A name that
 * only begins like the daemon's is a warning.
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
    const text = `${name}: unknown variable${suggestion(name, own)}`
    if (key !== undefined) {
      // `HTTP_SHUTDOWN_TIMEOUT` and the like may well be another program's.
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
 * Whether Kubernetes may have set a variable, as it does for each service. For a service `ledger` it sets
 * `LEDGER_SERVICE_HOST` and `LEDGER_PORT`.
 */
function isServiceLink(name: string, value: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_\w+)?$/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    /^(tcp|udp|sctp):\/\//.test(value)
  )
}

import { distance, similarWord } from '../lib/similar-words.ts'

const nodeConfigVariables = ['NODE_CONFIG', 'NODE_CONFIG_ENV', 'NODE_CONFIG_DIR']
/**
 * First words of variable names that other programs use too, such as `NODE` in `NODE_OPTIONS`. An
 * unknown variable causes no warning merely because its name begins with one of these words.
 */
const sharedPrefixes = ['HTTPS', 'LOG', 'NO', 'NODE', 'OTEL', 'REDIS']
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'FTP_PROXY']
/**
 * Variables of other programs that resemble a variable of this daemon by chance. They cause no
 * warning.
 */
const foreignVariables = ['HTTPS_HOST', 'HTTPS_PORT']
/**
 * Variables that users may mean for this daemon, but that many programs read, each with the variable
 * that the daemon reads. They cause only a warning.
 */
const perhapsForeign: Readonly<Record<string, string>> = {
  LOGLEVEL: 'LOG_LEVEL',
  PORT: 'HTTP_PORT',
  REDIS_URI: 'REDIS_URL',
}
/**
 * The minimum length of a known name in which two wrong letters still count as a typo. In a shorter
 * name, only one wrong letter counts as a typo.
 */
const lettersForTwoEdits = 14

export interface UnknownVariables {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Finds variables that look like variables of this daemon but that the daemon does not read. A
 * probable typo is a problem, because the user believes that the option is set. A name that only
 * begins like a variable of the daemon is a warning.
 * @param mapped further variables, which configuration files map to options.
 */
export function unknownVariables(
  variables: Readonly<Record<string, string>>,
  options: readonly string[],
  mapped: readonly string[],
): UnknownVariables {
  const own = [...options, ...nodeConfigVariables]
  const known = new Set([...own, ...mapped])
  const prefixes = new Set(own.filter((name) => name.includes('_')).map(firstWord))
  for (const prefix of sharedPrefixes) prefixes.delete(prefix)
  const problems: string[] = []
  const warnings: string[] = []
  for (const [name, value] of Object.entries(variables)) {
    if (known.has(name) || isForeign(name) || isServiceLink(name, value)) continue
    const spelt = name.replace(/^SCAN_CLIENT_/, 'SCAN_')
    const isShared = Object.hasOwn(perhapsForeign, name)
    // `similarWord` does not suggest `AUTH_AUDIENCE` for `AUTH_AUD`, which is a variable of other
    // programs.
    const meant = isShared ? perhapsForeign[name] : similarWord(spelt, own)
    const text = `${name}: unknown variable${meant === undefined ? '' : `; did you mean ${meant}?`}`
    if (isShared) warnings.push(text)
    else if (own.some((other) => isTypo(spelt, other)))
      problems.push(`${text} (unset it if another program reads it)`)
    else if (prefixes.has(firstWord(name))) warnings.push(text)
  }
  return { problems, warnings }
}

function isForeign(name: string): boolean {
  return proxyVariables.includes(name.toUpperCase()) || foreignVariables.includes(name)
}

function isTypo(name: string, known: string): boolean {
  const most = known.length >= lettersForTwoEdits ? 2 : 1
  return Math.abs(name.length - known.length) <= most && distance(name, known) <= most
}

function firstWord(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('_')))
}

/**
 * Whether Kubernetes probably set this variable. Kubernetes sets several variables for each of its
 * services, for example `LEDGER_PORT` for a service `ledger`.
 */
function isServiceLink(name: string, value: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_\w+)?$/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    isServiceAddress(value)
  )
}

/** Kubernetes sets `HTTP_PORT` to `tcp://10.0.0.1:80` for a service `http`. */
export function isServiceAddress(value: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(value)
}

import { keyWithoutVariable } from './keys-without-variable.ts'
import { distance, suggestion } from './nearest.ts'

/** The environment variables that choose the configuration files. */
const choosing = ['NODE_CONFIG', 'NODE_CONFIG_ENV', 'NODE_CONFIG_DIR']
/**
 * First words of variables that this daemon shares with other programs. A variable with such a word causes a
 * warning only if it resembles one of the daemon's.
 */
const sharedPrefixes = ['LOG', 'REDIS']
/**
 * First words of variables that belong to other programs. This daemon reads some of these variables, and
 * never warns of them.
 */
const foreignPrefixes = ['HTTPS', 'NO', 'OTEL']
const foreignVariables = ['HTTP_PROXY', 'ALL_PROXY', 'FTP_PROXY']
/** If two variable names differ in at most this many letters, one may be a typo for the other. */
const mostEdits = 2

/**
 * Returns a warning for each environment variable that looks like one of this daemon's but is not read: its
 * first word is that of the daemon's variables, or its name resembles one of them.
 * @param options the names of the variables that set options.
 * @param mapped the names of further variables, which configuration files map to options.
 */
export function unknownVariables(
  variables: Readonly<Record<string, string>>,
  options: readonly string[],
  mapped: readonly string[],
): readonly string[] {
  const own = [...options.filter((name) => !isForeign(name)), ...choosing]
  const known = new Set([...options, ...mapped, ...choosing])
  const prefixes = new Set(own.filter((name) => name.includes('_')).map(firstWord))
  for (const prefix of [...sharedPrefixes, 'NODE']) prefixes.delete(prefix)
  return Object.entries(variables).flatMap(([name, value]) => {
    if (known.has(name) || isForeign(name) || isServiceLink(name, value)) return []
    const key = keyWithoutVariable(name)
    if (key !== undefined)
      return [`${name}: no variable sets ${key}; set it in config/local.yaml or NODE_CONFIG`]
    const isOurs = name.includes('_') && prefixes.has(firstWord(name))
    if (!isOurs && !own.some((other) => isNear(name, other))) return []
    return [`${name}: unknown variable${suggestion(name, own)}`]
  })
}

function isForeign(name: string): boolean {
  const upper = name.toUpperCase()
  return foreignVariables.includes(upper) || foreignPrefixes.includes(firstWord(upper))
}

function isNear(name: string, other: string): boolean {
  return Math.abs(name.length - other.length) <= mostEdits && distance(name, other) <= mostEdits
}

function firstWord(name: string): string {
  return name.slice(0, name.indexOf('_'))
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

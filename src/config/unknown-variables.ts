import { keyWithoutVariable } from './keys-without-variable.ts'
import { distance, suggestion } from './nearest.ts'

/** Variables that choose the configuration files. */
const choosing = ['NODE_CONFIG', 'NODE_CONFIG_ENV', 'NODE_CONFIG_DIR']
/** First words that other programs share: a variable with one of them is suspicious only if it resembles one of ours. */
const sharedPrefixes = ['LOG', 'REDIS']
/** Variables with these first words belong to other programs, and this daemon only reads some of them. */
const foreignPrefixes = ['HTTPS', 'NO', 'OTEL']
const foreignVariables = ['HTTP_PROXY', 'ALL_PROXY', 'FTP_PROXY']
/** The most edits between a variable and the one that its author may have meant. */
const mostEdits = 2

/**
 * Returns a warning for each variable that is not read although its name suggests so: it starts as the variables of
 * this daemon do, or resembles one of them.
 * @param options the variables that set options.
 * @param mapped further variables that configuration files map to options.
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

/** Kubernetes sets such variables for each service: one called `ledger` gives `LEDGER_SERVICE_HOST` and `LEDGER_PORT`. */
function isServiceLink(name: string, value: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_\w+)?$/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    /^(tcp|udp|sctp):\/\//.test(value)
  )
}

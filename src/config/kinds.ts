import { isIP, isIPv6 } from 'node:net'
import { z } from 'zod'
import { tryBytes } from '../lib/bytes.ts'
import { type Duration, milliseconds, tryMilliseconds } from '../lib/clock.ts'
import { withoutTrailing } from '../lib/without-trailing.ts'

export interface OptionKind<S extends z.ZodType = z.ZodType> {
  readonly schema: S
  /** The condition on a value, in the words that follow "must be" in an error message. */
  readonly mustBe: string
  /**
   * The type to which the text of a variable or flag is converted. Absent if the value is a text.
   */
  readonly format?: 'number' | 'boolean' | 'list'
  readonly unit?: 'ms' | 'bytes'
}

/**
 * A number of milliseconds. This brand gives the option's key the suffix `Ms` in code: `timeout`
 * becomes `timeoutMs`.
 */
export type Milliseconds = number & z.$brand<'ms'>

/** The longest duration of an option without another limit. A longer one is probably a mistake. */
const longestDuration = '24d'

export function duration(least: Duration, most: Duration = longestDuration) {
  const mustBe = `a duration from ${least} to ${most} with its unit, such as 250ms, 5s or 10m`
  const schema = converted(z.string({ error: mustBe }), mustBe, (text) => {
    const ms = tryMilliseconds(text)
    if (ms === undefined || ms < milliseconds(least) || ms > milliseconds(most)) return undefined
    return ms as Milliseconds
  })
  return { schema, mustBe, unit: 'ms' } as const satisfies OptionKind
}

export function size() {
  const mustBe = 'a size above 0 with its unit, such as 512B, 64KiB or 32MiB, or a number of bytes'
  const schema = converted(z.union([z.string(), z.number()], { error: mustBe }), mustBe, (given) => {
    const count = typeof given === 'number' ? given : (tryBytes(given) ?? Number(given.trim() || Number.NaN))
    return Number.isSafeInteger(count) && count > 0 ? count : undefined
  })
  return { schema, mustBe, unit: 'bytes' } as const satisfies OptionKind
}

export function whole(least: number, most: number) {
  const mustBe = `a whole number from ${least} to ${most}`
  const schema = z
    .int({ error: unquoted(mustBe) })
    .min(least, { error: mustBe })
    .max(most, { error: mustBe })
  return { schema, mustBe, format: 'number' } as const satisfies OptionKind
}

/** Makes an error message that also asks the user to remove the quotes around a number. */
function unquoted(is: string) {
  return ({ input }: { readonly input?: unknown }) =>
    typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input) ? `${is} without quotes` : is
}

export function oneOf<const Words extends readonly string[]>(...words: Words) {
  const mustBe = `one of ${words.join(', ')}`
  return { schema: z.enum(words, { error: mustBe }), mustBe } as const satisfies OptionKind
}

export function listOf<S extends z.ZodType>(kind: OptionKind<S>) {
  const mustBe = `a list, each item ${kind.mustBe}`
  return {
    schema: z.array(kind.schema, { error: mustBe }),
    mustBe,
    format: 'list',
  } as const satisfies OptionKind
}

const someText = (is: string) => z.string({ error: is }).trim().min(1, { error: is })

export const text = { schema: someText('text'), mustBe: 'text' } as const satisfies OptionKind

const ledgerApiVersionIs = 'a version of the JSON Ledger API from 3.3 on, such as 3.4.12'

/**
 * A version such as `3.4.12`. A suffix such as `-SNAPSHOT` is accepted, because clients read only
 * the beginning.
 */
export const ledgerApiVersion = {
  schema: z
    .string({ error: ledgerApiVersionIs })
    .regex(/^3\.(?:[3-9]|\d{2})\.\d{1,4}(?:-[0-9A-Za-z.-]{1,64})?$/, { error: ledgerApiVersionIs }),
  mustBe: ledgerApiVersionIs,
} as const satisfies OptionKind

const packageVersionIs = 'the version of a Daml package, such as 0.1.25'

export const packageVersion = {
  schema: z
    .string({ error: packageVersionIs })
    .trim()
    .regex(/^\d{1,4}(?:\.\d{1,4}){2}$/, { error: packageVersionIs }),
  mustBe: packageVersionIs,
} as const satisfies OptionKind

export const flag = {
  schema: z.boolean({ error: 'true or false' }),
  mustBe: 'true or false',
  format: 'boolean',
} as const satisfies OptionKind

const rateIs = 'a number above 0, or none'

export const rate = {
  schema: z.union([z.literal('none'), z.number().positive({ error: rateIs })], { error: unquoted(rateIs) }),
  mustBe: rateIs,
  format: 'number',
} as const satisfies OptionKind

export function rateOf(least: number) {
  const mustBe = `a whole number of at least ${least}, or none`
  const schema = z.union([z.literal('none'), z.int({ error: mustBe }).min(least, { error: mustBe })], {
    error: unquoted(mustBe),
  })
  return { schema, mustBe, format: 'number' } as const satisfies OptionKind
}

const fractionIs = 'a number from 0 to 1'

export const fraction = {
  schema: z
    .number({ error: unquoted(fractionIs) })
    .min(0, { error: fractionIs })
    .max(1, { error: fractionIs }),
  mustBe: fractionIs,
  format: 'number',
} as const satisfies OptionKind

const thresholdIs = 'f+1, 2f+1 or a whole number of at least 1'

export const threshold = {
  schema: z.union([z.enum(['f+1', '2f+1']), z.int({ error: thresholdIs }).min(1, { error: thresholdIs })], {
    error: unquoted(thresholdIs),
  }),
  mustBe: thresholdIs,
  format: 'number',
} as const satisfies OptionKind

const operatorsIs = 'a map from each operator to a list of at least one member'

const membersAre = 'a list of at least one member, such as [.example.org]'

const member = someText('the name of a super validator, the host of a scan or an ending of hosts').check(
  ({ value, issues }) => {
    const ending = /^\*(\..+)$/.exec(value)?.[1]
    if (ending !== undefined)
      issues.push({ code: 'custom', message: `${ending} without the *`, input: value })
  },
)

export const operators = {
  schema: z.record(
    someText(operatorsIs),
    z.array(member, { error: membersAre }).min(1, { error: membersAre }),
    { error: operatorsIs },
  ),
  mustBe: operatorsIs,
} as const satisfies OptionKind

const scanRootIs =
  'the http or https root of a scan, such as https://scan.example.org, without credentials, path, query or hash'

/**
 * The base URL of a scan. A `/` or `/api/scan` at the end is removed: the value is
 * `scheme://host[:port]`.
 */
export const scanRoot = {
  schema: converted(z.string({ error: scanRootIs }), scanRootIs, (given) => {
    const url = tryHttpUrl(given)
    if (url === undefined || !/^(\/api\/scan)?\/?$/.test(url.pathname)) return undefined
    return url.username + url.password + url.search + url.hash === '' ? url.origin : undefined
  }),
  mustBe: scanRootIs,
} as const satisfies OptionKind

const webUrlIs = 'an http or https URL without credentials'

export const webUrl = {
  schema: converted(z.string({ error: webUrlIs }), webUrlIs, (given) => {
    const url = tryHttpUrl(given)
    return url !== undefined && url.username + url.password === '' ? url.href : undefined
  }),
  mustBe: webUrlIs,
} as const satisfies OptionKind

const proxyIs = 'the http or https URL of a proxy, such as http://user:password@proxy.example.org:3128'

/**
 * The URL of a forward proxy, with or without credentials. `proxy:3128` means plain http, as in
 * other programs.
 */
export const proxyUrl = {
  schema: converted(z.string({ error: proxyIs }), proxyIs, (given) => {
    const url = tryHttpUrl(given.includes('://') ? given : `http://${given.trim()}`)
    if (url === undefined || url.pathname !== '/' || url.search + url.hash !== '') return undefined
    return decodes(url.username + url.password) ? url.href : undefined
  }),
  mustBe: proxyIs,
} as const satisfies OptionKind

const partyIs = 'a party id, such as DSO::1220...'

export const partyId = {
  schema: z
    .string({ error: partyIs })
    .trim()
    .regex(/^[\w:\- ]{1,185}::[\w-]{1,68}$/, { error: partyIs }),
  mustBe: partyIs,
} as const satisfies OptionKind

const hostNameIs = 'a host name without scheme and port, such as proxy.example.org'

export const hostName = {
  schema: z
    .string({ error: hostNameIs })
    .trim()
    .regex(/^[\w-]+(\.[\w-]+)*\.?$/, { error: hostNameIs }),
  mustBe: hostNameIs,
} as const satisfies OptionKind

const listenHostIs =
  'an address or a host name of this machine without scheme and port, such as 127.0.0.1, ::1 or * for all'

/**
 * The address to listen on. Brackets, as in URLs, are removed, and `%25` before a zone becomes `%`.
 * `*` stands for all addresses, IPv6 and IPv4.
 */
export const listenHost = {
  schema: converted(z.string({ error: listenHostIs }).trim(), listenHostIs, (given) => {
    const bracketed = /^\[(.*)\]$/.exec(given)?.[1]
    const host = (bracketed ?? given).replace(/%25(?=.)/, '%')
    if (bracketed !== undefined) return isIPv6(host) ? host : undefined
    return host === '*' || isIP(host) !== 0 || /^[\w-]+(\.[\w-]+)*\.?$/.test(host) ? host : undefined
  }),
  mustBe: listenHostIs,
} as const satisfies OptionKind

const addressBlockIs = 'an IP address or a block of them, such as 192.0.2.7 or 192.0.2.0/28'

export const addressBlock = {
  schema: converted(z.string({ error: addressBlockIs }).trim(), addressBlockIs, (given) => {
    const [network = '', prefix, ...more] = given.split('/')
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(network)] as number
    const fits = prefix === undefined ? bits > 0 : /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
    return fits && more.length === 0 ? given : undefined
  }),
  mustBe: addressBlockIs,
} as const satisfies OptionKind

const acronymIs = 'lower case letters and digits'

export const acronym = {
  schema: z.string({ error: acronymIs }).regex(/^[a-z0-9]+$/, { error: acronymIs }),
  mustBe: acronymIs,
} as const satisfies OptionKind

function tryHttpUrl(given: string): URL | undefined {
  const trimmed = given.trim()
  const url = /^https?:\/\//i.test(trimmed) ? URL.parse(trimmed) : null
  // A dot at the end names the same host (RFC 1034, 3.1).
  if (url !== null) url.hostname = withoutTrailing('.', url.hostname)
  return url ?? undefined
}

export function decodes(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * Makes a schema that converts a value after the check by `from`. `convert` returns undefined for
 * an invalid value.
 * @param is the condition on a value, in the words that follow "must be" in an error message.
 */
export function converted<In extends z.ZodType, Out>(
  from: In,
  is: string | ((given: z.output<In>) => string),
  convert: (given: z.output<In>) => Out | undefined,
) {
  return from.transform((given, ctx): Out => {
    const value = convert(given)
    if (value !== undefined) return value
    ctx.issues.push({ code: 'custom', message: typeof is === 'string' ? is : is(given), input: given })
    return z.NEVER
  })
}

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
  readonly format?: 'number' | 'boolean' | 'list' | 'json'
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
  const convert = (text: string) => {
    const ms = tryMilliseconds(text)
    if (ms === undefined || ms < milliseconds(least) || ms > milliseconds(most)) return undefined
    return ms as Milliseconds
  }
  return { ...textKind(mustBe, convert), unit: 'ms' } as const
}

export function size() {
  const mustBe = 'a size above 0 with its unit, such as 512B, 64KiB or 32MiB, or a number of bytes'
  const schema = converted(z.union([z.string(), z.number()], { error: mustBe }), mustBe, (given) => {
    const count = typeof given === 'number' ? given : (tryBytes(given) ?? Number(given.trim() || Number.NaN))
    return Number.isSafeInteger(count) && count > 0 ? count : undefined
  })
  return { schema, mustBe, unit: 'bytes' } as const satisfies OptionKind
}

/** A number for which one schema has an error message. A text of digits gets a hint about its quotes. */
function numberKind<S extends z.ZodType>(mustBe: string, schemaOf: (error: Unquoted) => S) {
  const error: Unquoted = ({ input }) =>
    typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input) ? `${mustBe} without quotes` : mustBe
  return { schema: schemaOf(error), mustBe, format: 'number' } as const satisfies OptionKind
}

type Unquoted = (issue: { readonly input?: unknown }) => string

export function whole(least: number, most: number) {
  const mustBe = `a whole number from ${least} to ${most}`
  return numberKind(mustBe, (error) => z.int({ error }).min(least, { error }).max(most, { error }))
}

export function oneOf<const Words extends readonly string[]>(...words: Words) {
  const mustBe = `one of ${words.join(', ')}`
  return { schema: z.enum(words, { error: mustBe }), mustBe } as const satisfies OptionKind
}

export function listOf<S extends z.ZodType>(kind: OptionKind<S>) {
  const mustBe = `a list, each item ${kind.mustBe}`
  const schema = z.array(kind.schema, { error: mustBe })
  return { schema, mustBe, format: 'list' } as const satisfies OptionKind
}

const someText = (is: string) => z.string({ error: is }).trim().min(1, { error: is })

export const text = { schema: someText('text'), mustBe: 'text' } as const satisfies OptionKind

/** A text that `convert` turns into a value, or into undefined where it is not valid. */
function textKind<Out>(mustBe: string, convert: (given: string) => Out | undefined) {
  return { schema: converted(z.string({ error: mustBe }), mustBe, convert), mustBe } as const
}

function patterned(mustBe: string, pattern: RegExp) {
  return textKind(mustBe, (given) => (pattern.test(given.trim()) ? given.trim() : undefined))
}

/**
 * A version such as `3.4.12`. A suffix such as `-SNAPSHOT` is accepted, because clients read only
 * the beginning.
 */
export const ledgerApiVersion = patterned(
  'a version of the JSON Ledger API from 3.3 on, such as 3.4.12',
  /^3\.(?:[3-9]|\d{2})\.\d{1,4}(?:-[0-9A-Za-z.-]{1,64})?$/,
)

export const packageVersion = patterned(
  'the version of a Daml package, such as 0.1.25',
  /^\d{1,4}(?:\.\d{1,4}){2}$/,
)

export const flag = {
  schema: z.boolean({ error: 'true or false' }),
  mustBe: 'true or false',
  format: 'boolean',
} as const satisfies OptionKind

export const rate = numberKind('a number above 0, or none', (error) =>
  z.union([z.literal('none'), z.number().positive({ error })], { error }),
)

export function rateOf(least: number) {
  return numberKind(`a whole number of at least ${least}, or none`, (error) =>
    z.union([z.literal('none'), z.int({ error }).min(least, { error })], { error }),
  )
}

export const fraction = numberKind('a number from 0 to 1', (error) =>
  z.number({ error }).min(0, { error }).max(1, { error }),
)

export const threshold = numberKind('f+1, 2f+1 or a whole number of at least 1', (error) =>
  z.union([z.enum(['f+1', '2f+1']), z.int({ error }).min(1, { error })], { error }),
)

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
  format: 'json',
} as const satisfies OptionKind

/**
 * The base URL of a scan. A `/` or `/api/scan` at the end is removed: the value is
 * `scheme://host[:port]`.
 */
export const scanRoot = textKind(
  'the http or https root of a scan, such as https://scan.example.org, without credentials, path, query or hash',
  (given) => {
    const url = tryHttpUrl(given)
    if (url === undefined || !/^(\/api\/scan)?\/?$/.test(url.pathname)) return undefined
    return url.username + url.password + url.search + url.hash === '' ? url.origin : undefined
  },
)

export const webUrl = textKind('an http or https URL without credentials', (given) => {
  const url = tryHttpUrl(given)
  return url !== undefined && url.username + url.password === '' ? url.href : undefined
})

/**
 * The URL of a forward proxy, with or without credentials. `proxy:3128` means plain http, as in
 * other programs.
 */
export const proxyUrl = textKind(
  'the http or https URL of a proxy, such as http://user:password@proxy.example.org:3128',
  (given) => {
    const url = tryHttpUrl(given.includes('://') ? given : `http://${given.trim()}`)
    if (url === undefined || url.pathname !== '/' || url.search + url.hash !== '') return undefined
    return decodes(url.username + url.password) ? url.href : undefined
  },
)

export const partyId = patterned('a party id, such as DSO::1220...', /^[\w:\- ]{1,185}::[\w-]{1,68}$/)

const hostPattern = /^[\w-]+(\.[\w-]+)*\.?$/

export const hostName = patterned(
  'a host name without scheme and port, such as proxy.example.org',
  hostPattern,
)

/**
 * The address to listen on. Brackets, as in URLs, are removed, and `%25` before a zone becomes `%`.
 * `*` stands for all addresses, IPv6 and IPv4.
 */
export const listenHost = textKind(
  'an address or a host name of this machine without scheme and port, such as 127.0.0.1, ::1 or * for all',
  (given) => {
    const bracketed = /^\[(.*)\]$/.exec(given.trim())?.[1]
    const host = (bracketed ?? given.trim()).replace(/%25(?=.)/, '%')
    if (bracketed !== undefined) return isIPv6(host) ? host : undefined
    return host === '*' || isIP(host) !== 0 || hostPattern.test(host) ? host : undefined
  },
)

export const addressBlock = textKind(
  'an IP address or a block of them, such as 192.0.2.7 or 192.0.2.0/28',
  (given) => {
    const block = given.trim()
    const [network = '', prefix, ...more] = block.split('/')
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(network)] as number
    const fits = prefix === undefined ? bits > 0 : /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
    return fits && more.length === 0 ? block : undefined
  },
)

export const acronym = patterned('lower case letters and digits', /^[a-z0-9]+$/)

function tryHttpUrl(given: string): URL | undefined {
  const trimmed = given.trim()
  const url = /^https?:\/\//i.test(trimmed) ? URL.parse(trimmed) : null
  // A dot at the end names the same host (RFC 1034, 3.1).
  if (url !== null) url.hostname = withoutTrailing('.', url.hostname)
  return url ?? undefined
}

function decodes(text: string): boolean {
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
function converted<In extends z.ZodType, Out>(
  from: In,
  is: string,
  convert: (given: z.output<In>) => Out | undefined,
) {
  return from.transform((given, ctx): Out => {
    const value = convert(given)
    if (value !== undefined) return value
    ctx.issues.push({ code: 'custom', message: is, input: given })
    return z.NEVER
  })
}

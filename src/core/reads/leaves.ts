import { SpliceError } from '../../base/errors/splice.ts'
import { isJsonObject } from '../../base/lib/canonical-json.ts'
import { isInstant, timeText } from './instant.ts'
import {
  isOtherBatch,
  isOtherCommandStatus,
  isOtherHistoryItem,
  isOtherReassignment,
  isOtherRewardStatus,
  isOtherTreeEvent,
  isOtherUpdate,
} from './other-kinds.ts'

/** The leaves whose values are taken as they come, in canonical order. */
export const freeForms = {
  'json object': isJsonObject,
  json: isJson,
  'other tree event': isOtherTreeEvent,
  'other command status': isOtherCommandStatus,
  'other reward status': isOtherRewardStatus,
  'other batch': isOtherBatch,
  'other update': isOtherUpdate,
  'other reassignment': isOtherReassignment,
  'other history item': isOtherHistoryItem,
} as const

/**
 * A simple type of value. `time` and `instant` are times with any offset. Of a `time`, a `decimal`
 * and a `set`, only one of several texts with the same meaning is read (quorum.md#comparing-votes).
 */
export type Leaf = keyof typeof leaves

export const leaves = {
  string: isString,
  boolean: (value: unknown) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  'page size': Number.isSafeInteger,
  time: isTimeText,
  decimal: isString,
  instant: isTimeText,
  party: isPartyText,
  'one party': isPartyText,
  'open object': isJsonObject,
  ...freeForms,
} as const

/** The leaves that are read in one of several texts with the same meaning. */
export const textOf: Readonly<Partial<Record<Leaf, (text: string) => string>>> = {
  time: timeText,
  decimal: decimalText,
}

/** Returns the texts themselves if they are sorted already. */
export function inOrder(texts: string[]): string[] {
  return texts.every((text, at) => at === 0 || (texts[at - 1] as string) <= text) ? texts : texts.toSorted()
}

function isJson(value: unknown): boolean {
  return value !== undefined
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isPartyText(value: unknown): boolean {
  return isString(value) && isParty(value)
}

function isTimeText(value: unknown): boolean {
  return isString(value) && isInstant(value)
}

const maxIdentifier = 185
const maxFingerprint = 68
const partyCharacters = /^[a-zA-Z0-9:\-_ ]*$/

/**
 * Checks a party id, `identifier::fingerprint`, and returns it unchanged.
 * @throws SpliceError with Splice's text (Canton: UniqueIdentifier.scala, SafeSimpleString).
 */
export function parseParty(id: string): string {
  const delimiter = id.indexOf('::')
  if (delimiter === 0) throw new SpliceError('identifierWithoutName', { id })
  if (id === '') throw new SpliceError('emptyIdentifier')
  if (delimiter < 0) throw new SpliceError('identifierWithoutNamespace', { id })
  const identifierProblem = partyProblem(id.slice(0, delimiter), maxIdentifier)
  if (identifierProblem !== undefined)
    throw new SpliceError('malformedIdentifier', { id, why: identifierProblem })
  const fingerprintProblem = partyProblem(id.slice(delimiter + 2), maxFingerprint)
  if (fingerprintProblem !== undefined)
    throw new SpliceError('malformedFingerprint', { id, why: fingerprintProblem })
  return id
}

export function isParty(id: string): boolean {
  try {
    parseParty(id)
    return true
  } catch {
    return false
  }
}

function partyProblem(text: string, maxLength: number): string | undefined {
  if (text === '') return 'Daml-LF Party is empty'
  if (text.length > maxLength)
    return `The given string has a maximum length of ${maxLength} but a string of length ${text.length} was given`
  if (!partyCharacters.test(text)) {
    const strange = [...text].find((character) => !partyCharacters.test(character)) ?? ''
    return `non expected character 0x${strange.codePointAt(0)?.toString(16)} in Daml-LF Party`
  }
  if (text.includes('::')) return 'String contains reserved delimiter `::`.'
  return undefined
}

/** The digits after the point of a Daml `Decimal`. */
const decimalPlaces = 10
const decimalDigits = 28
const canonicalDecimal = /^(?:0|-?[1-9]\d{0,27}|-0(?=\.0{0,9}[1-9]))\.\d{10}$/
const writtenDecimal = /^([+-]?)(\d{1,38})(?:\.(\d{1,38}))?(?:[eE]([+-]?\d{1,2}))?$/

/**
 * Returns the one text of a decimal that is voted on and served: with all ten decimal places, as
 * Splice encodes amounts. A text that no `Decimal` has stays as it is.
 */
export function decimalText(text: string): string {
  if (canonicalDecimal.test(text)) return text
  const [, sign, whole, fraction = '', exponent = '0'] = writtenDecimal.exec(text) ?? []
  if (whole === undefined) return text
  const shift = decimalPlaces - fraction.length + Number(exponent)
  const digits = BigInt(whole + fraction)
  const unit = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && digits % unit !== 0n) return text
  const shown = String(shift < 0 ? digits / unit : digits * unit).padStart(decimalPlaces + 1, '0')
  if (shown.length > decimalDigits + decimalPlaces) return text
  const isNegative = sign === '-' && digits !== 0n
  return `${isNegative ? '-' : ''}${shown.slice(0, -decimalPlaces)}.${shown.slice(-decimalPlaces)}`
}

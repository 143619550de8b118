import { z } from 'zod'
import { SpliceError, type SpliceErrorCode } from '../errors/splice.ts'
import { canonicalInstant } from './instant.ts'
import { parseParty } from './party.ts'
import type { Param } from './read.ts'

/** The maximum length of a text in DbScanStore. */
const maxText = 2066
const maxPageSize = 1000
const int32 = { last: 0x7fff_ffffn, what: '32-bit signed integer value' }
const int64 = { last: 0x7fff_ffff_ffff_ffffn, what: '64-bit signed integer value' }

/** Returns the text of a parameter unchanged. */
function textOf(name: string) {
  return (value: string): string => {
    if (value.length > maxText) throw new SpliceError('textTooLong', { name, limit: maxText })
    if (value.includes('\0'))
      throw new SpliceError('malformedText', { name, why: 'it holds a NUL character' })
    if (!value.isWellFormed())
      throw new SpliceError('malformedText', { name, why: 'it holds a lone surrogate' })
    return value
  }
}

function integerOf(name: string, { last, what }: typeof int64, malformed: SpliceErrorCode) {
  return (value: string): string => {
    const number = /^[+-]?\d{1,40}$/.test(value) ? BigInt(value.replace('+', '')) : undefined
    if (number === undefined || number > last || number < -last - 1n)
      throw new SpliceError(malformed, { name, value, what })
    return String(number)
  }
}

function sizeOf(name: string) {
  const integer = integerOf(name, int32, 'malformedQueryParameter')
  return (value: string): string => {
    const size = Number(integer(value))
    if (size < 1) throw new SpliceError('limitTooSmall')
    if (size > maxPageSize) throw new SpliceError('limitExceeded', { value: size, limit: maxPageSize })
    return String(size)
  }
}

function timeOf(name: string) {
  return (value: string): string => {
    const time = canonicalInstant(value)
    if (time === undefined)
      throw new SpliceError('malformedQueryParameter', {
        name,
        value,
        what: 'time of ISO 8601 with its offset',
      })
    return time
  }
}

export function partyIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, string, true> {
  return { name, in: place, required: true, parse: parseParty, schema: z.string(), description }
}

export function textIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, string, true> {
  const schema = z.string().max(maxText)
  return { name, in: place, required: true, parse: textOf(name), schema, description }
}

/** A 64-bit integer. */
export function integerIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, number, true> {
  const malformed = place === 'path' ? 'malformedPathParameter' : 'malformedQueryParameter'
  const parse = integerOf(name, int64, malformed)
  return { name, in: place, required: true, parse, schema: z.int(), description }
}

/** A time with an offset. Scans get it in UTC. */
export function timeInQuery<const Name extends string>(
  name: Name,
  description: string,
): Param<Name, string, true> {
  const schema = z.iso.datetime({ offset: true })
  return { name, in: 'query', required: true, parse: timeOf(name), schema, description }
}

/** The maximum number of items in an answer: 1 to 1000. */
export function sizeInQuery<const Name extends string>(
  name: Name,
  description: string,
): Param<Name, number, true> {
  const schema = z.int().min(1).max(maxPageSize)
  return { name, in: 'query', required: true, parse: sizeOf(name), schema, description }
}

export function optionalParam<Name extends string, Value>(
  param: Param<Name, Value>,
): Param<Name, Value, false> {
  return { ...param, required: false }
}

export const nameParam = textIn('name', 'path', 'The name, as registered; percent-encoded.')
export const partyParam = partyIn('party', 'path', 'A party id: `identifier::fingerprint`.')
export const namePrefixParam = optionalParam(
  textIn('name_prefix', 'query', 'Only names that start with this text, case-sensitive.'),
)
export const pageSizeParam = sizeInQuery('page_size', 'The most entries to answer.')

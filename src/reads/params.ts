import { z } from 'zod'
import { maxPageSize } from './page-size.ts'
import { maxText, type PlainParam, parserOf } from './param-text.ts'
import type { Param } from './read.ts'

function defineParam<Name extends string, Value, Required extends boolean>(
  plain: PlainParam<Name, Required>,
  schema: z.ZodType<Value>,
  description: string,
): Param<Name, Value, Required> {
  return { ...plain, parse: parserOf(plain), schema, description }
}

export function partyIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, string, true> {
  return defineParam({ name, in: place, required: true, kind: 'party' }, z.string(), description)
}

export function textIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, string, true> {
  const schema = z.string().max(maxText)
  return defineParam({ name, in: place, required: true, kind: 'text' }, schema, description)
}

export function integerIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, number, true> {
  return defineParam({ name, in: place, required: true, kind: 'integer' }, z.int(), description)
}

export function timeInQuery<const Name extends string>(
  name: Name,
  description: string,
): Param<Name, string, true> {
  const schema = z.iso.datetime({ offset: true })
  return defineParam({ name, in: 'query', required: true, kind: 'instant' }, schema, description)
}

export function sizeInQuery<const Name extends string>(
  name: Name,
  description: string,
): Param<Name, number, true> {
  const schema = z.int().min(1).max(maxPageSize)
  return defineParam({ name, in: 'query', required: true, kind: 'page size' }, schema, description)
}

export function tokenInQuery<const Name extends string>(
  name: Name,
  instead: string,
): Param<Name, string, false> {
  const description = 'Not taken: page tokens mean something to one scan only.'
  const schema = z.string().max(maxText)
  return defineParam({ name, in: 'query', required: false, kind: 'page token', instead }, schema, description)
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

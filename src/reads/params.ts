import { type PlainParam, parserOf } from './param-text.ts'
import type { Param } from './read.ts'

function defineParam<Name extends string, Value, Required extends boolean>(
  plain: PlainParam<Name, Required>,
  description: string,
): Param<Name, Value, Required> {
  return { ...plain, parse: parserOf(plain), description }
}

export function partyIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, string, true> {
  return defineParam({ name, in: place, required: true, kind: 'party' }, description)
}

export function textIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, string, true> {
  return defineParam({ name, in: place, required: true, kind: 'text' }, description)
}

export function choiceInQuery<const Name extends string, const Text extends string>(
  name: Name,
  oneOf: readonly Text[],
  description: string,
): Param<Name, Text, true> {
  return defineParam({ name, in: 'query', required: true, kind: 'text', oneOf }, description)
}

export function integerIn<const Name extends string>(
  name: Name,
  place: Param['in'],
  description: string,
): Param<Name, number, true> {
  return defineParam({ name, in: place, required: true, kind: 'integer' }, description)
}

export function timeInQuery<const Name extends string>(
  name: Name,
  description: string,
): Param<Name, string, true> {
  return defineParam({ name, in: 'query', required: true, kind: 'instant' }, description)
}

export function sizeInQuery<const Name extends string>(
  name: Name,
  description: string,
): Param<Name, number, true> {
  return defineParam({ name, in: 'query', required: true, kind: 'page size' }, description)
}

export function tokenInQuery<const Name extends string>(
  name: Name,
  instead: string,
): Param<Name, string, false> {
  const description = 'Not taken: page tokens mean something to one scan only.'
  return defineParam({ name, in: 'query', required: false, kind: 'page token', instead }, description)
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

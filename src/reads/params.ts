import type { Param } from './endpoint.ts'
import { type PlainParam, parserOf } from './param-text.ts'

function defineParam<Name extends string, Value, Required extends boolean>(
  plain: PlainParam<Name, Required>,
): Param<Name, Value, Required> {
  return { ...plain, parse: parserOf(plain) }
}

export function partyIn<const Name extends string>(
  name: Name,
  place: Param['in'],
): Param<Name, string, true> {
  return defineParam({ name, in: place, required: true, kind: 'party' })
}

export function textIn<const Name extends string>(name: Name, place: Param['in']): Param<Name, string, true> {
  return defineParam({ name, in: place, required: true, kind: 'text' })
}

export function choiceInQuery<const Name extends string, const Text extends string>(
  name: Name,
  oneOf: readonly Text[],
): Param<Name, Text, true> {
  return defineParam({ name, in: 'query', required: true, kind: 'text', oneOf })
}

export function integerIn<const Name extends string>(
  name: Name,
  place: Param['in'],
): Param<Name, number, true> {
  return defineParam({ name, in: place, required: true, kind: 'integer' })
}

export function timeInQuery<const Name extends string>(name: Name): Param<Name, string, true> {
  return defineParam({ name, in: 'query', required: true, kind: 'instant' })
}

export function sizeInQuery<const Name extends string>(name: Name): Param<Name, number, true> {
  return defineParam({ name, in: 'query', required: true, kind: 'page size' })
}

export function tokenInQuery<const Name extends string>(
  name: Name,
  instead: string,
): Param<Name, string, false> {
  return defineParam({ name, in: 'query', required: false, kind: 'page token', instead })
}

export function optionalParam<Name extends string, Value>(
  param: Param<Name, Value>,
): Param<Name, Value, false> {
  return { ...param, required: false }
}

export const nameParam = textIn('name', 'path')
export const partyParam = partyIn('party', 'path')
export const namePrefixParam = optionalParam(textIn('name_prefix', 'query'))
export const pageSizeParam = sizeInQuery('page_size')

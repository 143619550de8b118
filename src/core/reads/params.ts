import type { Param } from './endpoint.ts'
import { type PlainParam, parserOf } from './param-text.ts'

function defineParam<Name extends string, Value, Required extends boolean>(
  plain: PlainParam<Name, Required>,
): Param<Name, Value, Required> {
  return { ...plain, parse: parserOf(plain) }
}

function ofKind<Value>(kind: PlainParam['kind']) {
  return <const Name extends string>(name: Name, place: Param['in']): Param<Name, Value, true> =>
    defineParam({ name, in: place, required: true, kind })
}

export const partyIn = ofKind<string>('party')
export const textIn = ofKind<string>('text')
export const integerIn = ofKind<number>('integer')
export const timeIn = ofKind<string>('instant')
export const sizeIn = ofKind<number>('page size')

export function choiceInQuery<const Name extends string, const Text extends string>(
  name: Name,
  oneOf: readonly Text[],
): Param<Name, Text, true> {
  return defineParam({ name, in: 'query', required: true, kind: 'text', oneOf })
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
export const pageSizeParam = sizeIn('page_size', 'query')

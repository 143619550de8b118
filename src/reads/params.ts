import { z } from 'zod'
import { SpliceError } from '../errors/splice.ts'
import { parseParty } from './party.ts'
import type { Param } from './read.ts'

/** DbScanStore's guard on the length of a text. */
const maxText = 2066
const maxPageSize = 1000

function text(name: string) {
  return (value: string): string => {
    if (value.length > maxText) throw new SpliceError('textTooLong', { name, limit: maxText })
    if (value.includes('\0'))
      throw new SpliceError('malformedText', { name, why: 'it holds a NUL character' })
    if (!value.isWellFormed())
      throw new SpliceError('malformedText', { name, why: 'it holds a lone surrogate' })
    return value
  }
}

function pageSize(value: string): string {
  if (!/^[+-]?\d+$/.test(value) || Math.abs(Number(value)) > 0x7fff_ffff) {
    throw new SpliceError('malformedQueryParameter', { name: 'page_size', value })
  }
  const size = Number(value)
  if (size < 1) throw new SpliceError('limitTooSmall')
  if (size > maxPageSize) throw new SpliceError('limitExceeded', { value: size, limit: maxPageSize })
  return String(size)
}

export const nameParam: Param = {
  name: 'name',
  in: 'path',
  required: true,
  parse: text('name'),
  schema: z.string().max(maxText),
  description: 'The name, as registered; percent-encoded.',
}

export const partyParam: Param = {
  name: 'party',
  in: 'path',
  required: true,
  parse: parseParty,
  schema: z.string(),
  description: 'A party id: `identifier::fingerprint`.',
}

export const namePrefixParam: Param = {
  name: 'name_prefix',
  in: 'query',
  required: false,
  parse: text('name_prefix'),
  schema: z.string().max(maxText),
  description: 'Only names that start with this text, case-sensitive.',
}

export const pageSizeParam: Param = {
  name: 'page_size',
  in: 'query',
  required: true,
  parse: pageSize,
  schema: z.int().min(1).max(maxPageSize),
  description: 'The most entries to answer.',
}

import { SpliceError, type SpliceErrorCode } from '../../base/errors/splice.ts'
import { canonicalInstant } from './instant.ts'
import { parseParty } from './leaves.ts'

/** The maximum length of a text in a request, in characters, as in Splice's DbScanStore. */
export const maxText = 2066

export type ParamKind = 'text' | 'party' | 'integer' | 'instant' | 'page size' | 'page token'

export interface PlainParam<Name extends string = string, Required extends boolean = boolean> {
  readonly name: Name
  readonly in: 'path' | 'query'
  readonly required: Required
  /**
   * True if a query may repeat the parameter. Its canonical text is then a JSON list, sorted and
   * without duplicates.
   */
  readonly list?: true
  readonly kind: ParamKind
  /** The texts that the API's description names. */
  readonly oneOf?: readonly string[]
  readonly instead?: string
}

export type ParseParam = (text: string) => string

export function parserOf(param: PlainParam): ParseParam {
  const { name, kind } = param
  switch (kind) {
    case 'text':
      return param.in === 'path' ? segmentOf(name) : textOf(name)
    case 'party':
      return parseParty
    case 'integer':
      return integerOf(
        name,
        int64,
        param.in === 'path' ? 'malformedPathParameter' : 'malformedQueryParameter',
      )
    case 'instant':
      return instantOf(name)
    case 'page size':
      return sizeOf(name)
    case 'page token':
      return () => rejectToken(param.instead ?? '')
  }
}

/**
 * Rejects a page token. The token is a row number in one scan's own database, so no quorum can
 * agree on the next page.
 * @param instead tells the caller what to do instead.
 */
export function rejectToken(instead: string): never {
  const why = 'A page token is the number of a row in one scan, and means nothing to the others.'
  throw new SpliceError('notAgreeable', { why, instead })
}

const int32 = { last: 0x7fff_ffffn, what: '32-bit signed integer value' }
const int64 = { last: 0x7fff_ffff_ffff_ffffn, what: '64-bit signed integer value' }

function textOf(name: string): ParseParam {
  return (value) => {
    if (value.length > maxText) throw new SpliceError('textTooLong', { name, limit: maxText })
    if (value.includes('\0'))
      throw new SpliceError('malformedText', { name, why: 'it holds a NUL character' })
    if (!value.isWellFormed())
      throw new SpliceError('malformedText', { name, why: 'it holds a lone surrogate' })
    return value
  }
}

/**
 * Rejects texts that would change the path: an empty one, and `.` and `..`, which URL parsers
 * resolve even if they are percent-encoded (WHATWG URL, 4.1).
 */
function segmentOf(name: string): ParseParam {
  const text = textOf(name)
  return (value) => {
    if (value === '') throw new SpliceError('emptyText', { name })
    if (value === '.' || value === '..')
      throw new SpliceError('malformedText', { name, why: 'URLs resolve `.` and `..` as relative paths' })
    return text(value)
  }
}

function integerOf(name: string, { last, what }: typeof int64, malformed: SpliceErrorCode): ParseParam {
  return (value) => {
    const number = /^[+-]?\d{1,40}$/.test(value) ? BigInt(value.replace('+', '')) : undefined
    if (number === undefined || number > last || number < -last - 1n)
      throw new SpliceError(malformed, { name, value, what })
    return String(number)
  }
}

function sizeOf(name: string): ParseParam {
  const integer = integerOf(name, int32, 'malformedQueryParameter')
  return (value) => String(checkedSize(Number(integer(value))))
}

function instantOf(name: string): ParseParam {
  return (value) => {
    const time = canonicalInstant(value)
    if (time !== undefined) return time
    const what = 'time of ISO 8601 with its offset'
    throw new SpliceError('malformedQueryParameter', { name, value, what })
  }
}

export const maxPageSize = 1000

/**
 * Checks the number of items that a caller requests: 1 to 1000, as in Splice.
 * @throws SpliceError with Splice's text for any other integer.
 */
export function checkedSize(size: number): number {
  if (size < 1) throw new SpliceError('limitTooSmall')
  if (size > maxPageSize) throw new SpliceError('limitExceeded', { value: size, limit: maxPageSize })
  return size
}

/** The longest list in a request, as in Splice's HttpRequestLimits. */
export const longestList = 1000

/**
 * Checks the length of a list in a request.
 * @throws SpliceError with Splice's text if the list is too long.
 */
export function checkListLength(name: string, { length: size }: readonly unknown[]): void {
  if (size > longestList) throw new SpliceError('tooManyItems', { name, limit: longestList, size })
}

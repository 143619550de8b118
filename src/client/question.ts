import { SpliceError } from '../errors/splice.ts'
import { isJsonObject } from '../lib/canonical-json.ts'
import { type AnyArguments, paramTexts } from '../reads/arguments.ts'
import { parserOf } from '../reads/param-text.ts'
import { bodyParam, filledPath } from '../reads/request.ts'
import type { ReadId } from '../reads/table.ts'
import { bodyText } from './body.ts'
import { ClientError } from './client-error.ts'
import type { PlainRead } from './plain-read.ts'
import { plainReads } from './plain-reads.ts'

/** The names of all reads. */
export const readIds = Object.keys(plainReads) as readonly ReadId[]

/** Whether a text is the name of a read. */
export function isReadId(id: string): id is ReadId {
  return Object.hasOwn(plainReads, id)
}

/** A question, ready to be sent. */
export interface ClientRequest {
  readonly row: PlainRead
  readonly path: string
  readonly body: string | undefined
}

/**
 * Checks a question and makes its request.
 * @throws ClientError if there is no such read, or if the arguments do not fit it.
 */
export function requestFor(id: ReadId, given: AnyArguments): ClientRequest {
  const row = isReadId(id) ? plainReads[id] : undefined
  if (row === undefined)
    throw new ClientError('unknownRead', `There is no read ${String(id)}; readIds lists all reads.`)
  requireKnown(id, row, given)
  try {
    const params = row.params.map((param) => ({ ...param, parse: parserOf(param) }))
    return {
      row,
      path: filledPath(row.path, row.params, paramTexts(params, given)),
      body: row.body === undefined ? row.sends : bodyText(row.body, given[bodyParam]),
    }
  } catch (error) {
    if (!(error instanceof SpliceError)) throw error
    throw new ClientError(error.code, messageOf(id, error), { cause: error })
  }
}

function messageOf(id: ReadId, { code, message, values }: SpliceError): string {
  return code === 'missingQueryParameter' ? `${id} needs ${values['name']}.` : message
}

function requireKnown(id: ReadId, { params, body }: PlainRead, given: AnyArguments): void {
  if (!isJsonObject(given))
    throw new ClientError('unknownParameter', `The parameters of ${id} must be an object.`)
  const known = [...params.map(({ name }) => name), ...(body === undefined ? [] : [bodyParam])]
  const unknown = Object.keys(given).find((key) => !known.includes(key) && given[key] !== undefined)
  if (unknown === undefined) return
  const takes = known.length === 0 ? 'it has no parameters' : `it takes ${known.join(', ')}`
  throw new ClientError('unknownParameter', `${id} takes no ${unknown}; ${takes}.`)
}

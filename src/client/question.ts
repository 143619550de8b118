import { SpliceError } from '../base/errors/splice.ts'
import { isJsonObject } from '../base/lib/canonical-json.ts'
import { isSignal, kindOf, nounOf } from '../base/lib/option-rules.ts'
import { type AnyArguments, paramTexts } from '../core/reads/arguments.ts'
import { type Endpoint, pathOf } from '../core/reads/endpoint.ts'
import { endpoints, type ReadId } from '../core/reads/endpoints.ts'
import type { Params } from '../core/reads/read.ts'
import { bodyParam, filledPath } from '../core/reads/request.ts'
import { bodyText } from './body.ts'
import { ClientError } from './client-error.ts'
import { callOptions } from './options.ts'

export function isReadId(id: string): id is ReadId {
  return Object.hasOwn(endpoints, id)
}

export interface ClientRequest {
  readonly row: Endpoint
  readonly path: string
  readonly body: string | undefined
  readonly params: Params
}

export function requestFor(id: ReadId, given: AnyArguments): ClientRequest {
  try {
    const { row, body = row.upstreamBody } = checkedQuestion(id, given)
    const texts = paramTexts(row.params, given)
    return { row, path: filledPath(pathOf(row), row.params, texts), body, params: texts }
  } catch (error) {
    if (!(error instanceof SpliceError)) throw error
    throw new ClientError(error.code, error.message, { cause: error })
  }
}

export function checkedQuestion(
  id: ReadId,
  given: AnyArguments,
): { readonly row: Endpoint; readonly body: string | undefined } {
  if (!isReadId(id)) throw new SpliceError('unknownRead', { id: String(id) })
  const row: Endpoint = endpoints[id]
  requireKnown(id, row, given)
  const needed = row.params.filter(({ required }) => required).map(({ name }) => name)
  if (row.body !== undefined) needed.push(bodyParam)
  const missing = needed.find((name) => given[name] === undefined)
  if (missing !== undefined) throw new SpliceError('missingParameter', { read: id, name: missing })
  return { row, body: row.body === undefined ? undefined : bodyText(row.body, given[bodyParam]) }
}

function requireKnown(id: ReadId, { params, body }: Endpoint, given: AnyArguments): void {
  if (isSignal(given)) throw new SpliceError('unknownParameter', { why: optionsComeSecond(id, 'signal') })
  if (!isJsonObject(given) || kindOf(given) !== 'Object')
    throw new SpliceError('unknownParameter', {
      why: `The parameters of ${id} must be an object; they are ${nounOf(given)}.`,
    })
  const known = [...params.map(({ name }) => name), ...(body === undefined ? [] : [bodyParam])]
  const unknown = Object.keys(given).find((key) => !known.includes(key) && given[key] !== undefined)
  if (unknown === undefined) return
  if (callOptions.includes(unknown))
    throw new SpliceError('unknownParameter', { why: optionsComeSecond(id, unknown) })
  const takes = known.length === 0 ? 'it has no parameters' : `it takes ${known.join(', ')}`
  throw new SpliceError('unknownParameter', { why: `${id} takes no ${unknown}; ${takes}.` })
}

function optionsComeSecond(id: ReadId, option: string): string {
  return `${option} is an option, and options come after the parameters: ${id}({ ... }, { ${option} }), with {} for no parameters.`
}

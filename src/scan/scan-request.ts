import { canonicalJson, type Json } from '../lib/canonical-json.ts'
import type { Question } from '../reads/read.ts'
import { upstreamOf } from '../reads/request.ts'
import type { ScanRequest } from './node.ts'

export interface RequestLimits {
  readonly requestTimeoutMs: number
  /** The maximum size of any response in bytes. A read's own `maxBytes` applies if it is lower. */
  readonly maxResponseBytes: number
}

export function requestOf(
  question: Question,
  { requestTimeoutMs, maxResponseBytes }: RequestLimits,
): ScanRequest {
  const upstream = upstreamOf(question)
  return { ...upstream, maxBytes: Math.min(upstream.maxBytes, maxResponseBytes), timeoutMs: requestTimeoutMs }
}

/**
 * Returns the request with which one voter is asked: if the question continues a page, with its own
 * token. Undefined if the voter gave none.
 * @param names the super validators that the voter stands for.
 */
export function requestTo(
  names: readonly string[],
  { read, page }: Question,
  request: ScanRequest,
): ScanRequest | undefined {
  if (page === undefined || read.pages === undefined) return request
  const token = names.map((name) => page.tokens.get(name)).find((one) => one !== undefined)
  if (token === undefined) return undefined
  const { olderPaths: _, ...pinned } = request
  const body = canonicalJson({ ...page.body, after: token } as Json)
  return { ...pinned, path: `/api/scan${read.pages.pathTaking(token)}`, body }
}

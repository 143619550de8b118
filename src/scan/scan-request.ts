import type { Question } from '../reads/read.ts'
import { upstreamOf } from '../reads/request.ts'
import type { ScanRequest } from './node.ts'

export interface RequestLimits {
  readonly requestTimeoutMs: number
  /** The upper limit for every row's own `maxBytes`. */
  readonly maxResponseBytes: number
}

/** Builds the request that every scan gets for one read. */
export function requestOf(
  question: Question,
  { requestTimeoutMs, maxResponseBytes }: RequestLimits,
): ScanRequest {
  const upstream = upstreamOf(question)
  return { ...upstream, maxBytes: Math.min(upstream.maxBytes, maxResponseBytes), timeoutMs: requestTimeoutMs }
}

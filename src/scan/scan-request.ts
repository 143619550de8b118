import type { Question } from '../reads/read.ts'
import { upstreamOf } from '../reads/request.ts'
import type { ScanRequest } from './node.ts'

export interface RequestLimits {
  readonly requestTimeoutMs: number
  /** Caps every row's own `maxBytes`. */
  readonly maxResponseBytes: number
}

/** What every scan is asked for one read. */
export function requestOf(
  question: Question,
  { requestTimeoutMs, maxResponseBytes }: RequestLimits,
): ScanRequest {
  const upstream = upstreamOf(question)
  return { ...upstream, maxBytes: Math.min(upstream.maxBytes, maxResponseBytes), timeoutMs: requestTimeoutMs }
}

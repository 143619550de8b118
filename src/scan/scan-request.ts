import type { Question } from '../reads/read.ts'
import { upstreamOf } from '../reads/request.ts'
import type { ScanRequest } from './node.ts'

export interface RequestLimits {
  readonly requestTimeoutMs: number
  /** The maximum size of any response in bytes. A read's own `maxBytes` applies if it is lower. */
  readonly maxResponseBytes: number
}

/** Returns the request with which the daemon asks every scan a question. */
export function requestOf(
  question: Question,
  { requestTimeoutMs, maxResponseBytes }: RequestLimits,
): ScanRequest {
  const upstream = upstreamOf(question)
  return { ...upstream, maxBytes: Math.min(upstream.maxBytes, maxResponseBytes), timeoutMs: requestTimeoutMs }
}

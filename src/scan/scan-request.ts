import type { Question } from '../reads/read.ts'
import { upstreamOf } from '../reads/request.ts'
import { AlikeBodies } from './body-deduplication.ts'
import type { ScanRequest } from './node.ts'

/**
 * If a body of a read may have at least this many bytes, its bodies are compared while they arrive, and equal ones are
 * stored once (`AlikeBodies`). Shorter bodies mostly arrive in one piece, so this would save nothing.
 */
const alikeFromBytes = 1_048_576

export interface RequestLimits {
  readonly requestTimeoutMs: number
  /** The maximum size of any response in bytes. A read's own `maxBytes` applies if it is lower. */
  readonly maxResponseBytes: number
}

/** Returns the request with which the daemon asks a scan a question. */
export function requestOf(
  question: Question,
  { requestTimeoutMs, maxResponseBytes }: RequestLimits,
): ScanRequest {
  const upstream = upstreamOf(question)
  return { ...upstream, maxBytes: Math.min(upstream.maxBytes, maxResponseBytes), timeoutMs: requestTimeoutMs }
}

/** Returns the request with which one read asks several scans a question. */
export function sharedRequestOf(question: Question, limits: RequestLimits): ScanRequest {
  const request = requestOf(question, limits)
  return request.maxBytes < alikeFromBytes ? request : { ...request, alike: new AlikeBodies() }
}

import type { Question } from '../reads/read.ts'
import { upstreamOf } from '../reads/request.ts'
import { AlikeBodies } from './body-deduplication.ts'
import type { ScanRequest } from './node.ts'

/**
 * The minimum `maxBytes` for which the bodies of one read are compared while they arrive, so that
 * equal bodies share memory (`AlikeBodies`). Shorter bodies mostly arrive in one piece, so this
 * would save nothing.
 */
const alikeFromBytes = 1_048_576

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

export function sharedRequestOf(question: Question, limits: RequestLimits): ScanRequest {
  const request = requestOf(question, limits)
  return request.maxBytes < alikeFromBytes ? request : { ...request, alike: new AlikeBodies() }
}

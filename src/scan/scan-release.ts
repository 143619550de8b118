import { isJsonObject } from '../lib/canonical-json.ts'
import { releaseIn } from '../reads/releases.ts'
import { tryParse } from './judgement.ts'
import type { ScanRequest, ScanResponse } from './node.ts'

export function releaseRequest(timeoutMs: number): ScanRequest {
  return { method: 'GET', path: '/api/scan/version', maxBytes: 65_536, timeoutMs }
}

/** Returns the release that the response to `releaseRequest` names, and releases the response. */
export function releaseOf(response: Extract<ScanResponse, { kind: 'response' }>): string | undefined {
  const json = response.status === 200 ? tryParse(response.body, { maxElements: 64 }) : undefined
  response.release()
  if (typeof json !== 'object' || !isJsonObject(json.value)) return undefined
  return releaseIn(json.value['version'])
}

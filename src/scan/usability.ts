import { isJsonObject } from '../lib/canonical-json.ts'
import type { FaultKind, Reply } from '../quorum/reply.ts'
import { tryParse } from './judgement.ts'
import type { ScanRequest, ScanResponse } from './node.ts'
import { faultOfStatus } from './response-without-value.ts'

/**
 * The conclusion from one reply: whether the scan answers reads (quorum.md#who-is-reachable).
 * - `unclear`: the reply does not show whether the scan answers reads. An example is a 404 because
 *   the release lacks the path of one read.
 * - `throttled`: the scan asked for fewer requests.
 * - `not-sent`: this daemon itself stopped the request or the reply.
 */
export type Usability = 'usable' | 'unusable' | 'unclear' | 'throttled' | 'not-sent'

/**
 * The probe is a read that every release has. A request for `/version` would show less: a scan may
 * answer it and still refuse all reads.
 */
export const probe: Pick<ScanRequest, 'method' | 'path'> = {
  method: 'GET',
  path: '/api/scan/v0/dso-party-id',
}

const ofFault: Readonly<Record<FaultKind, Usability>> = {
  unreachable: 'unusable',
  blocked: 'unusable',
  reset: 'unusable',
  timeout: 'unusable',
  busy: 'not-sent',
  'held-back': 'not-sent',
  unauthorized: 'unusable',
  'rate-limited': 'throttled',
  redirect: 'unusable',
  'server-error': 'unusable',
  'unexpected-status': 'unclear',
  oversized: 'unusable',
  truncated: 'unusable',
  'not-json': 'unusable',
  // Possibly only this one read is wrong, in the scan's implementation or in the daemon's schema.
  misshapen: 'unclear',
  'wrong-answer': 'unclear',
}

/** A scan that fails on one question answers with this status; a scan that is down does not. */
const failedInside = 500

export function usabilityOfReply(reply: Reply, response: ScanResponse): Usability {
  if (response.kind === 'response' && response.status === failedInside) return 'unclear'
  if (reply.kind === 'fault') return ofFault[reply.fault]
  return reply.kind === 'abstention' ? 'unclear' : 'usable'
}

export function usabilityOf(response: ScanResponse): Usability {
  if (response.kind === 'fault') return ofFault[response.fault]
  const { status, body } = response
  if (status === 200) return beginsLikeJson(body) ? 'usable' : 'unusable'
  return status === failedInside ? 'unclear' : ofFault[faultOfStatus(status)]
}

/**
 * Returns what the response to a probe shows. An unclear response, such as a 404, counts as
 * `unusable`, because every release has the probe's path.
 */
export function usabilityOfProbe(response: ScanResponse): Usability {
  const outcome = probeOutcome(response)
  if (outcome === 'value') return 'usable'
  const usability = ofFault[outcome]
  return usability === 'unclear' ? 'unusable' : usability
}

export function probeOutcome(response: ScanResponse): 'value' | FaultKind {
  if (response.kind === 'fault') return response.fault
  const { status, body } = response
  if (status !== 200) return faultOfStatus(status)
  const json = tryParse(body, { maxElements: 64 })
  if (typeof json === 'string') return json
  return isJsonObject(json.value) && typeof json.value['dso_party_id'] === 'string' ? 'value' : 'misshapen'
}

const openers = new Set(['{', '[', '"'])

function beginsLikeJson(body: Buffer): boolean {
  return openers.has(body.toString('latin1', 0, 64).trimStart().charAt(0))
}

import { ConnectTimeoutError } from '../lib/connecting.ts'
import { AddressBlockedError } from './address-guard.ts'
import type { TransportFault } from './node.ts'

export type Stage = 'new' | 'waiting' | 'in-turn' | 'connecting' | 'sent' | 'answering' | 'ended' | 'settled'

export function faultOf(error: Error, stage: Stage): TransportFault {
  if (stage === 'answering') return 'truncated'
  if (stage === 'sent') return codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW' ? 'oversized' : 'reset'
  if (error instanceof AddressBlockedError) return 'blocked'
  return error instanceof ConnectTimeoutError ? 'timeout' : 'unreachable'
}

export function lateness(stage: Stage, lackedRoom: boolean): readonly [fault: TransportFault, what: string] {
  switch (stage) {
    case 'new':
    case 'waiting':
      return ['busy', 'not admitted']
    case 'in-turn':
      return ['held-back', 'not its turn']
    case 'connecting':
      return ['timeout', 'not connected']
    case 'sent':
      return ['timeout', 'no response']
    case 'answering':
    case 'ended':
    case 'settled':
      return lackedRoom ? ['busy', 'no room for its body'] : ['timeout', 'no whole body']
  }
}

export function isHangUp(error: Error): boolean {
  const code = codeOf(error)
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}

export function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/**
 * Returns the message of an error, or else its code or its name: Node's error for several failed
 * addresses has an empty message.
 */
export function messageOf(error: Error): string {
  return error.message !== '' ? error.message : (codeOf(error) ?? error.name)
}

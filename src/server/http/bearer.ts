import type { IncomingHttpHeaders } from 'node:http'
import { CantonError, PlainError } from '../../base/errors/canton.ts'
import { type Bearer, bearerIn, bearerOf } from '../../base/lib/bearer.ts'

const offered = 'jwt.token.'

export function requiredBearer({ authorization }: IncomingHttpHeaders): string {
  return required(bearerIn(authorization))
}

/**
 * Browsers cannot set headers of a WebSocket, so the token may be in the name of an offered
 * subprotocol: `jwt.token.<token>`.
 */
export function offeredBearer(headers: IncomingHttpHeaders): string {
  const given = bearerIn(headers.authorization)
  return required(given.kind === 'none' ? offeredIn(headers['sec-websocket-protocol'] ?? '') : given)
}

function required(bearer: Bearer): string {
  switch (bearer.kind) {
    case 'token':
      return bearer.token
    case 'empty':
      throw new PlainError('emptyToken')
    case 'none':
    case 'too-long':
      throw new CantonError('unauthenticated')
  }
}

function offeredIn(protocols: string): Bearer {
  const found = protocols
    .split(',')
    .map((one) => one.trim())
    .find((one) => one.startsWith(offered) && one.length > offered.length)
  return found === undefined ? { kind: 'none' } : bearerOf(found.slice(offered.length))
}

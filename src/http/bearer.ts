import type { IncomingHttpHeaders } from 'node:http'
import { PlainError } from '../errors/canton.ts'

const offered = 'jwt.token.'

/** The bearer token of a request; undefined for none. @throws PlainError `emptyToken` */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  const [, token] = /^ *bearer(?: +(.*?))? *$/i.exec(authorization ?? '') ?? []
  if (token === '' || (token === undefined && /^ *bearer *$/i.test(authorization ?? '')))
    throw new PlainError('emptyToken')
  return token
}

/** Likewise of a request for a WebSocket, which may offer it as the subprotocol `jwt.token.<token>`. */
export function offeredBearerOf(headers: IncomingHttpHeaders): string | undefined {
  const given = bearerOf(headers)
  if (given !== undefined) return given
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim())
  return protocols.find((one) => one.startsWith(offered))?.slice(offered.length) || undefined
}

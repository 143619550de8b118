import { isIP, type Socket } from 'node:net'
import { type ForwardProxy, tunnelCode } from './forward-proxy.ts'

export class TunnelError extends Error {
  override readonly name = 'TunnelError'
  readonly code = tunnelCode
}

const longestHead = 16_384

/**
 * Asks a forward proxy for a tunnel to a scan (RFC 9110, 9.3.6).
 * @param socket a connected socket to the proxy.
 * @param done called with an error, or with undefined if the socket leads to the scan.
 */
export function openTunnel(
  socket: Socket,
  { authorization }: ForwardProxy,
  { host, port }: { readonly host: string; readonly port: number },
  done: (error: TunnelError | undefined) => void,
): void {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `host: ${authority}`]
  if (authorization !== undefined) lines.push(`proxy-authorization: ${authorization}`)
  let head = ''
  const hear = (chunk: Buffer) => {
    head += chunk.toString('latin1')
    const length = head.indexOf('\r\n\r\n')
    if (length === -1 && head.length < longestHead) return
    socket.off('data', hear)
    socket.pause()
    done(judge(head, length))
  }
  socket.on('data', hear)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
}

function judge(head: string, length: number): TunnelError | undefined {
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r\n)/.exec(head)?.[1]
  if (length === -1 || status === undefined) return new TunnelError('the forward proxy does not speak HTTP')
  if (!status.startsWith('2')) return new TunnelError(`the forward proxy answered ${status}`)
  // A scan sends nothing before a request, so these bytes must come from the proxy.
  if (head.length > length + 4) return new TunnelError('the forward proxy sent more than it was asked for')
  return undefined
}

import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends these bytes over a connection of its own, and resolves with all that came back when the server closed it. */
export async function speak(base: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port) })
  const heard: Buffer[] = []
  socket.on('data', (part: Buffer) => heard.push(part))
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  return Buffer.concat(heard).toString('latin1')
}

/** A request's head with this target as it stands, for a connection that ends with the answer. */
export function head(target: string, { method = 'GET', host = 'localhost', more = '' } = {}): Buffer {
  return Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${more}\r\n`)
}

import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * Sends these bytes over a new connection. When the server has closed the connection, resolves with all received bytes.
 */
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

export function head(target: string, { method = 'GET', host = 'localhost', more = '' } = {}): Buffer {
  return Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${more}\r\n`)
}

export async function statusWithoutBody(base: string, line: string, header: string): Promise<number> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(`${line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${header}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return Number(String(answer).split(' ')[1])
}

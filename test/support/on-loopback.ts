import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

export async function onLoopback(server: Server): Promise<{ readonly port: number } & Disposable> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.dispose]: () => void server.close() }
}

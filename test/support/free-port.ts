import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// The system gives the ports from 32,768 to whoever listens on port 0.
const lowest = 20_000
const highest = 32_767
const tries = 100

/** Returns a port that was free a moment ago, and that no program gets that listens on port 0. */
export const freePort = (): Promise<number> => freePorts(1)

/** Returns the first of `count` ports in a row. All of them were free a moment ago. */
export async function freePorts(count: number): Promise<number> {
  for (let tried = 0; tried < tries; tried++) {
    const first = randomInt(lowest, highest - count)
    if (await areFree(first, count)) return first
  }
  throw new Error(`no ${count} free ports in a row`)
}

export async function areFree(first: number, count: number): Promise<boolean> {
  const servers = Array.from({ length: count }, () => createServer())
  try {
    for (const [index, server] of servers.entries()) {
      server.listen(first + index, '127.0.0.1')
      await once(server, 'listening')
    }
    return true
  } catch {
    return false
  } finally {
    await Promise.all(
      servers.filter((server) => server.listening).map((server) => once(server.close(), 'close')),
    )
  }
}

import { expect } from 'vitest'
import { byName } from '../daemon/questions.ts'
import { type Running, startLiveRemote } from './daemon.ts'
import { soonerThan } from './eventually.ts'
import { Scans } from './scans.ts'

export type Sharer = Running<undefined>

/** Four scans, and functions for daemons that ask them and share the answers through one Redis. */
export async function openSharers() {
  const scans = await Scans.listen('a', 'b', 'c', 'd')
  const asksFor = (name: string) => scans.nodes.reduce((sum, node) => sum + node.count(`/by-name/${name}`), 0)
  /** Expects the true answer within a second, whatever state Redis is in. Resolves with the header `cache-status`. */
  const lookUp = async ({ get }: Sharer, name: string) => {
    const heard = await soonerThan(1_000, get(byName(name)))
    expect(heard.status).toBe(200)
    expect(JSON.parse(heard.text).entry.name).toBe(name)
    return String(heard.headers['cache-status'])
  }
  return {
    asksFor,
    lookUp,
    start: (url: string, config: Readonly<Record<string, unknown>> = {}): Promise<Sharer> =>
      startLiveRemote(scans.urls, { 'cache.redis.url': url, 'http.missesPerSecond': 'none', ...config }),
    async isShared(one: Sharer, other: Sharer, name: string): Promise<boolean> {
      await lookUp(one, name)
      const asks = asksFor(name)
      return (await lookUp(other, name)).includes('; hit; ') && asksFor(name) === asks
    },
    [Symbol.asyncDispose]: () => scans[Symbol.asyncDispose](),
  }
}

export async function redisOf({ report }: Sharer): Promise<string> {
  return (await report('/status')).cache.redis
}

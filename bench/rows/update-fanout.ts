import { Child } from '../child.ts'
import { everything } from '../ledger-api.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median, warmUp } from '../statistics.ts'

const readers = 100

/**
 * Compares two times, with 100 readers each. The first is from a commit until the last reader of `/v2/updates` has the
 * update. The second is for sending the same frame with `ws` alone.
 */
export async function fanOutAgainstBareWs(bench: Bench): Promise<Outcome> {
  await using server = await Child.start('fan-out', bench.cores?.measured)
  await using audience = await Child.start('readers', bench.cores?.rest)
  const urls = await server.call<{ feed: string; bare: string }>('urls')
  const first = JSON.stringify({ beginExclusive: 0, updateFormat: everything })
  await audience.call('open', { url: `${urls.feed}/v2/updates`, readers, first })
  await audience.call('open', { url: urls.bare, readers, first })

  const once = async (by: 'commit' | 'send', frame = '') => {
    await audience.call('expect', { readers })
    const began = await server.call<number>(by, { frame })
    const last = await audience.call<{ us: number; frame: string }>('last')
    return { us: last.us - began, frame: last.frame }
  }
  const { frame } = await once('commit')
  const feed = (ms: number) => turns(ms, () => once('commit'))
  const bare = (ms: number) => turns(ms, () => once('send', frame))
  await warmUp(bench.warmUpMs, feed, bare)
  const rounds = await alternate(
    bench.rounds,
    () => feed(bench.roundMs),
    () => bare(bench.roundMs),
  )
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => a / b)),
    detail: {
      feedUs: median(rounds.map(({ a }) => a)),
      bareUs: median(rounds.map(({ b }) => b)),
      frameBytes: frame.length,
    },
  }
}

/** Calls `once` again and again for `ms` milliseconds. Returns the median of the times `us` that it returns. */
async function turns(ms: number, once: () => Promise<{ readonly us: number }>): Promise<number> {
  const all: number[] = []
  for (const ends = performance.now() + ms; performance.now() < ends; ) all.push((await once()).us)
  return median(all)
}

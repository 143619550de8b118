import { Child } from '../child.ts'
import { everything } from '../ledger-api.ts'
import { ledgerOf } from '../ledger-data.ts'
import { anyToken, Caller, postRequest } from '../load.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median, warmUp } from '../statistics.ts'

const [small, large] = [1_000, 1_000_000]

/**
 * Compares the time to look up an update by its offset in a ledger of 1,000,000 updates and in a ledger of 1,000. The
 * times are medians, with one caller.
 */
export async function byOffsetInLargeAgainstSmall(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const lookups = async (updates: number) => {
    const file = ledgerOf(updates)
    const child = stack.use(await Child.start('ledger-api', bench.cores?.measured, { file }))
    const caller = stack.use(await Caller.connect(await child.call('url')))
    return (ms: number) => lookUp(caller, updates, ms)
  }
  const [inLarge, inSmall] = [await lookups(large), await lookups(small)]
  await warmUp(bench.warmUpMs, inLarge, inSmall)
  const rounds = await alternate(
    bench.rounds,
    () => inLarge(bench.roundMs),
    () => inSmall(bench.roundMs),
  )
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => a / b)),
    detail: {
      largeUs: median(rounds.map(({ a }) => a)),
      smallUs: median(rounds.map(({ b }) => b)),
    },
  }
}

/** Looks updates up for `ms` milliseconds. Returns the median time of one lookup in microseconds. */
async function lookUp(caller: Caller, updates: number, ms: number): Promise<number> {
  const times: number[] = []
  for (const ends = performance.now() + ms; performance.now() < ends; ) {
    const request = byOffset(1 + Math.floor(Math.random() * updates))
    const before = performance.now()
    const { status, body } = await caller.ask(request)
    times.push((performance.now() - before) * 1000)
    if (status !== 200) throw new Error(`${status}: ${body}`)
  }
  return median(times)
}

function byOffset(offset: number): Buffer {
  const body = JSON.stringify({ offset, updateFormat: everything })
  return postRequest('/v2/updates/update-by-offset', body, anyToken)
}

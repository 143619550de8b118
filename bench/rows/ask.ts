import { Child } from '../child.ts'
import type { FanOuts } from '../children/asker.ts'
import { scanPath } from '../daemon.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median, warmUp } from '../statistics.ts'

const asks = 9
const inFlight = 16

/**
 * Compares the CPU time of one request by a scan node with the CPU time of one request by `Pool.dispatch`. There are
 * always 16 fan-outs to 9 nodes in progress. An answer has 400 bytes.
 */
export async function askAgainstDispatch(bench: Bench): Promise<Outcome> {
  const name = 'alice.unverified.cns'
  const body = JSON.stringify({ entry: { name, padding: 'x'.repeat(350) } })
  const headers = { 'content-type': 'application/json' }
  await using server = await Child.start('bare-server', bench.cores?.rest, { headers, bodies: [body] })
  const origins = Array(asks).fill(await server.call('url'))
  await using asker = await Child.start('asker', bench.cores?.measured, { origins, connections: inFlight })

  const cpuUs = async (by: FanOuts['by'], ms: number) => {
    const before = await asker.cpuUs()
    const run: FanOuts = { by, ms, inFlight, asks, paths: [scanPath(name)] }
    const done = await asker.call<number>('run', run)
    return ((await asker.cpuUs()) - before) / done / asks
  }
  await warmUp(
    bench.warmUpMs,
    (ms) => cpuUs('scan node', ms),
    (ms) => cpuUs('bare', ms),
  )
  const rounds = await alternate(
    bench.rounds,
    () => cpuUs('scan node', bench.roundMs),
    () => cpuUs('bare', bench.roundMs),
  )
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => a / b)),
    detail: {
      scanNodeUs: median(rounds.map(({ a }) => a)),
      bareUs: median(rounds.map(({ b }) => b)),
    },
  }
}

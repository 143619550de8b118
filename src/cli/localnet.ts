import { systemClock } from '../lib/clock.ts'
import { misused, parsed } from './arguments.ts'
import { exitCodes, type Print } from './print.ts'
import { stopSignal } from './stop-signal.ts'
import { usages } from './usages.ts'

/** Runs a localnet without a daemon. Prints one line of JSON with its addresses when it is ready. */
export async function localnet(args: readonly string[], print: Print): Promise<number> {
  const options = parse(args)
  if (options === undefined) return misused(print, usages.localnet)
  const stop = stopSignal()
  const [{ startLocalnet }, { AdvancingClock }] = await Promise.all([
    import('../localnet/localnet.ts'),
    import('../lib/advancing-clock.ts'),
  ])
  try {
    await using running = await startLocalnet(options, { clock: new AdvancingClock(systemClock) })
    const superValidators = Object.fromEntries(running.superValidators.map(({ name, url }) => [name, url]))
    print.out(JSON.stringify({ msg: 'listening', control: running.control, superValidators }))
    await stop
    return exitCodes.ok
  } catch (error) {
    print.err(`the localnet cannot start: ${error instanceof Error ? error.message : String(error)}`)
    return exitCodes.failed
  }
}

function parse(args: readonly string[]) {
  const given = parsed({
    args,
    options: {
      'super-validators': { type: 'string', default: '4' },
      port: { type: 'string', default: '0' },
      'control-port': { type: 'string', default: '0' },
    },
  })
  if (given === undefined) return undefined
  const options = {
    superValidators: Number(given.values['super-validators']),
    port: Number(given.values.port),
    controlPort: Number(given.values['control-port']),
  }
  return Object.values(options).every((value) => Number.isInteger(value) && value >= 0) ? options : undefined
}

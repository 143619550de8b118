import { systemClock } from '../lib/clock.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print } from './print.ts'
import { stopSignal } from './stop-signal.ts'

type Given = Readonly<Record<'super-validators' | 'port' | 'control-port', string | undefined>>

export async function localnet(given: Given, print: Print): Promise<number> {
  const options = parse(given)
  if (typeof options === 'string') return misused(print, options)
  const stop = stopSignal()
  const [{ startLocalnet }, { AdvancingClock }] = await Promise.all([
    import('../localnet/localnet.ts'),
    import('../lib/advancing-clock.ts'),
  ])
  try {
    await using running = await startLocalnet(options, { clock: new AdvancingClock(systemClock) })
    const superValidators = Object.fromEntries(running.superValidators.map(({ name, url }) => [name, url]))
    print.out(JSON.stringify({ msg: 'listening', control: running.control, superValidators }))
    print.err(`A daemon that asks them: ${daemonCommand(Object.values(superValidators))}`)
    await stop
    return exitCodes.ok
  } catch (error) {
    print.err(`the localnet cannot start: ${error instanceof Error ? error.message : String(error)}`)
    return exitCodes.failed
  }
}

function daemonCommand(seedUrls: readonly string[]): string {
  const config = { network: 'remote', scanClient: { seedUrls, allowHttp: true, allowPrivate: true } }
  return `NODE_CONFIG='${JSON.stringify(config)}' bft-scan-proxy serve`
}

function parse(given: Given): Readonly<Record<'superValidators' | 'port' | 'controlPort', number>> | string {
  for (const [name, text] of Object.entries(given)) {
    if (text !== undefined && !/^\d{1,5}$/.test(text))
      return `--${name} must be a whole number of at least 0, not ${JSON.stringify(text)}`
  }
  return {
    superValidators: Number(given['super-validators'] ?? 4),
    port: Number(given.port ?? 0),
    controlPort: Number(given['control-port'] ?? 0),
  }
}

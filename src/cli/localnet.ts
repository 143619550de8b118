import { parseArgs } from 'node:util'
import { exitCodes, type Print } from './print.ts'
import { stopSignal } from './stop-signal.ts'

export const localnetUsage =
  'Usage: bft-scan-proxy localnet [--super-validators N] [--port P] [--control-port P]'

/** Runs a localnet by itself, and prints one line of JSON with its addresses when it answers. */
export async function localnet(args: readonly string[], print: Print): Promise<number> {
  const options = parse(args)
  if (options === undefined) {
    print.err(localnetUsage)
    return exitCodes.usage
  }
  const stop = stopSignal()
  const { startLocalnet } = await import('../localnet/localnet.ts')
  try {
    await using running = await startLocalnet(options)
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
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'super-validators': { type: 'string', default: '4' },
        port: { type: 'string', default: '0' },
        'control-port': { type: 'string', default: '0' },
      },
    })
    const options = {
      superValidators: Number(values['super-validators']),
      port: Number(values.port),
      controlPort: Number(values['control-port']),
    }
    return Object.values(options).every((value) => Number.isInteger(value) && value >= 0)
      ? options
      : undefined
  } catch {
    return undefined
  }
}

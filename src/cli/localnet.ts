import { systemClock } from '../base/lib/clock.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, printJson } from './print.ts'
import { stopSignal } from './stop-signal.ts'

type LocalnetArguments = Readonly<
  Record<'super-validators' | 'releases' | 'port' | 'control-port', string | undefined>
>

interface GivenPorts {
  readonly superValidators: number
  readonly port: number
  readonly controlPort: number | 'usual'
}

export async function localnet(given: LocalnetArguments, print: Print): Promise<number> {
  const options = parse(given)
  if (typeof options === 'string') return misused(print, options)
  const [{ startLocalnet }, { releaseNames }, { AdvancingClock }] = await Promise.all([
    import('../localnet/localnet.ts'),
    import('../localnet/releases.ts'),
    import('../base/lib/advancing-clock.ts'),
  ])
  const asked = given.releases?.split(',') ?? []
  const releases = asked.flatMap((release) => releaseNames.find((known) => known === release.trim()) ?? [])
  if (releases.length < asked.length) {
    const mustBe = `a list of ${releaseNames.join(', ')}`
    return misused(print, `--releases must be ${mustBe}, not ${JSON.stringify(given.releases)}`)
  }
  const stop = stopSignal()
  try {
    await using running = await startLocalnet(
      { ...options, releases },
      { clock: new AdvancingClock(systemClock) },
    )
    const superValidators = Object.fromEntries(running.superValidators.map(({ name, url }) => [name, url]))
    const forDaemon = configurationFor(Object.values(superValidators))
    printJson(print, { msg: 'listening', control: running.control, superValidators, ...forDaemon })
    await stop
    return exitCodes.ok
  } catch (error) {
    print.err(`the localnet cannot start: ${error instanceof Error ? error.message : String(error)}`)
    return exitCodes.failed
  }
}

/** Returns the value of `NODE_CONFIG` with which a daemon asks these super validators. */
function configurationFor(seedUrls: readonly string[]) {
  return { NODE_CONFIG: { network: 'remote', scanClient: { seedUrls, allowHttp: true, allowPrivate: true } } }
}

function parse({ releases: _releases, ...given }: LocalnetArguments): GivenPorts | string {
  for (const [name, text] of Object.entries(given)) {
    if (text !== undefined && !/^\d{1,5}$/.test(text))
      return `--${name} must be a whole number of at least 0, not ${JSON.stringify(text)}`
  }
  return {
    superValidators: Number(given['super-validators'] ?? 4),
    port: Number(given.port ?? 0),
    controlPort: given['control-port'] === undefined ? 'usual' : Number(given['control-port']),
  }
}

import { fileURLToPath } from 'node:url'
import { DaemonProcess } from './process.ts'

export async function loadedPackages(
  env: Readonly<Record<string, string>>,
  use: (addresses: Awaited<ReturnType<DaemonProcess['listening']>>) => Promise<unknown>,
): Promise<readonly string[]> {
  const listing = fileURLToPath(new URL('./list-modules.ts', import.meta.url))
  await using daemon = await DaemonProcess.start({ NODE_OPTIONS: `--import=${listing}`, ...env })
  await use(await daemon.listening())
  daemon.signal('SIGTERM')
  const { code, errors } = await daemon.ended
  if (code !== 0) throw new Error(`the daemon ended with ${code}:\n${errors.join('\n')}`)
  return errors.flatMap((line) => /^loaded (.*)$/.exec(line)?.[1] ?? [])
}

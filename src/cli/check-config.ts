import { effectiveOptions, shownValue } from '../config/effective.ts'
import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import type { Config } from '../config/resolve.ts'
import { exitCodes, type Print, tellConfig } from './print.ts'

/**
 * Prints the resulting configuration without secrets, or all of its problems. With `--json`, prints one line of JSON.
 * @returns the exit code: 0, or 78 if the daemon would not start.
 */
export async function checkConfig(
  { json }: { readonly json: boolean },
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const loaded = loadConfig(options)
  const { warnings, files } = loaded
  const code = loaded.ok ? exitCodes.ok : exitCodes.badConfig
  if (json) {
    const found = loaded.ok
      ? { ok: true, options: Object.fromEntries(summary(loaded.config)) }
      : { ok: false, problems: loaded.problems }
    print.out(JSON.stringify({ ...found, warnings, files }))
    return code
  }
  tellConfig(print, loaded)
  if (!loaded.ok) return code
  for (const file of files) print.out(`# ${file}`)
  for (const [key, value] of summary(loaded.config)) print.out(`${key}: ${value}`)
  return code
}

/** Every option that is set or has a default, with its value as a configuration file writes it. */
function summary(config: Config): (readonly [key: string, value: string])[] {
  return [...effectiveOptions(config)].map((option) => [option.key, shownValue(option)])
}

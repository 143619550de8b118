import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Layers, splitList, type Variables } from './layers.ts'
import { type ConfigResult, parseConfig } from './parse.ts'

export interface LoadConfigOptions {
  /** The environment. Empty variables count as not set. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The folder whose `config/` has the user's own files. */
  readonly cwd?: string
  /** The folder of this package. Its `config/` is read first. */
  readonly packageDir?: string
}

export type LoadedConfig = ConfigResult & {
  /** The files that were read, in order. Later files override earlier ones. */
  readonly files: readonly string[]
}

/**
 * Reads the configuration in node-config's order: the package's `config/`, then `./config` (or `NODE_CONFIG_DIR`) if
 * that is another folder, then the variables of `custom-environment-variables.yaml`, then `NODE_CONFIG`. In each folder
 * `default` comes first, then `NODE_ENV`, `NODE_CONFIG_ENV` and `local`. Invalid content never throws.
 */
export function loadConfig({
  env = process.env,
  cwd = process.cwd(),
  packageDir = fileURLToPath(new URL('../..', import.meta.url)),
}: LoadConfigOptions = {}): LoadedConfig {
  const variables = { ...proxyVariables(env), ...withoutEmpty(env) }
  const own = join(packageDir, 'config')
  const layers = new Layers(variables, cwd)
  layers.addFolder(own, '')
  for (const folder of userFolders(variables, cwd)) if (!isSame(folder, own)) layers.addFolder(folder)
  layers.requireDeployments()
  layers.addVariables()
  layers.addNodeConfig()

  const { problems, files } = layers
  const result = parseConfig(layers.config, {
    production: splitList(variables['NODE_ENV']).includes('production'),
    origin: (path) => layers.origin(path),
  })
  if (problems.length === 0) return { ...result, files }
  const more = result.ok ? [] : result.problems
  return { ok: false, problems: [...problems, ...more], warnings: result.warnings, files }
}

function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Variables {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => (entry[1] ?? '').trim() !== ''),
  )
}

/** Users set proxy variables in lower case as often as in upper case. */
function proxyVariables(env: Readonly<Record<string, string | undefined>>): Variables {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']
  return withoutEmpty(Object.fromEntries(names.map((name) => [name, env[name.toLowerCase()]])))
}

function userFolders(variables: Variables, cwd: string): readonly string[] {
  const folders = variables['NODE_CONFIG_DIR']?.split(delimiter).filter((folder) => folder !== '')
  return (folders ?? ['config']).map((folder) => resolve(cwd, folder))
}

function isSame(folder: string, other: string): boolean {
  return existsSync(folder) && existsSync(other) && realpathSync(folder) === realpathSync(other)
}

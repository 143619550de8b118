import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FlagTexts } from './flags.ts'
import { type ChosenNetwork, Layers, splitList, type Variables } from './layers.ts'
import { type NetworkChoice, networkChoiceOf } from './network-choice.ts'
import { isPublicNetwork } from './networks.ts'
import { overriddenOptions } from './overridden.ts'
import { type ConfigResult, parseConfig } from './parse.ts'
import type { Tree } from './tree.ts'

export interface LoadConfigOptions {
  /** The environment variables; those of the process by default. Empty variables count as not set. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The folder whose subfolder `config/` has the user's own files; the working directory by default. */
  readonly cwd?: string
  /** The folder of this package. Its subfolder `config/` is read first. */
  readonly packageDir?: string
  /**
   * The flags of the command line. The options that they set override everything else; the file of `--config`
   * overrides only other files.
   */
  readonly flags?: FlagTexts
}

export type LoadedConfig = ConfigResult & {
  /** The files that were read, in order. Later files override earlier ones. */
  readonly files: readonly string[]
  readonly network: NetworkChoice
  /** All layers merged, before they were checked. */
  readonly written: Tree
  /** Whether `NODE_ENV` is `production`. */
  readonly production: boolean
  /** A sentence for each option in a file of the user that a variable or a flag sets to another value. */
  readonly overridden: readonly string[]
}

/**
 * Reads the configuration in node-config's order: the package's `config/`, then `./config` (or `NODE_CONFIG_DIR`) if
 * that is another folder, then the file of `--config`, the variables of `custom-environment-variables.yaml`,
 * `NODE_CONFIG`, and the other flags. In each folder `default` comes first, then `NODE_ENV`, the network,
 * `NODE_CONFIG_ENV` and `local`. Invalid content never throws.
 */
export function loadConfig({
  env = process.env,
  cwd = process.cwd(),
  packageDir = fileURLToPath(new URL('../..', import.meta.url)),
  flags = {},
}: LoadConfigOptions = {}): LoadedConfig {
  const variables = { ...proxyVariables(env), ...withoutEmpty(env) }
  const sources: Sources = { variables, cwd, own: join(packageDir, 'config'), flags }
  const layers = layersFor(sources)
  const { problems, files, config: written } = layers
  const production = splitList(variables['NODE_ENV']).includes('production')
  const result = parseConfig(written, { production, origin: (path) => layers.origin(path) })
  const warnings = [...layers.warnings, ...result.warnings]
  const network = networkChoiceOf(layers, variables, flags)
  const overridden = overriddenOptions(layers, sources.own)
  const about = { warnings, files, network, written, production, overridden }
  if (problems.length === 0) return { ...result, ...about }
  const more = result.ok ? [] : result.problems
  return { ok: false, problems: [...problems, ...more], ...about }
}

interface Sources {
  readonly variables: Variables
  readonly cwd: string
  /** The folder `config/` of this package. */
  readonly own: string
  readonly flags: FlagTexts
}

/**
 * Reads all layers. Any layer may name a public network. The file of that network comes before most layers,
 * so they are read again with that file.
 */
function layersFor(sources: Sources): Layers {
  const { network } = sources.flags
  if (network === 'localnet' || isPublicNetwork(network)) return layersWith(sources, network)
  const layers = withNetworkFile(layersWith(sources), sources)
  const contradiction = contradictionIn(layers)
  if (contradiction !== undefined) layers.problems.push(contradiction)
  return layers
}

function withNetworkFile(layers: Layers, sources: Sources): Layers {
  const chosen = layers.config['network']
  if (!isPublicNetwork(chosen) || layers.deployments.includes(chosen)) return layers
  const other = layers.deployments.find(isPublicNetwork)
  if (other === undefined) return layersWith(sources, chosen)
  layers.problems.push(
    `network is ${chosen} (in ${layers.origin(['network'])}), but NODE_CONFIG_ENV names ${other}`,
  )
  return layers
}

/**
 * Returns the problem if a variable chooses a public network while a file or another variable names a
 * different one. Undefined if there is none.
 */
function contradictionIn(layers: Layers): string | undefined {
  const named = layers.publicNetworks()
  const chosen = named.at(-1)
  if (chosen === undefined || chosen.isFile) return undefined
  const other = named.findLast(({ network }) => network !== chosen.network)
  return (
    other && `network is ${chosen.network} (in ${chosen.place}), but ${other.place} names ${other.network}`
  )
}

function layersWith({ variables, cwd, own, flags }: Sources, network?: ChosenNetwork): Layers {
  const layers = new Layers(variables, cwd, network)
  const folders = userFolders(variables, cwd)
  layers.addFolder(own, '')
  for (const folder of folders) if (!isSame(folder, own)) layers.addFolder(folder)
  if (variables['NODE_CONFIG_DIR'] !== undefined) layers.warnOfMissingFolders(folders)
  layers.requireDeployments()
  layers.warnOfUnreadFiles(folders)
  layers.addFile(flags)
  layers.addVariables()
  layers.addNodeConfig()
  layers.addFlags(flags)
  return layers
}

function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Variables {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => (entry[1] ?? '').trim() !== ''),
  )
}

/**
 * Returns the proxy variables that are set in lower case, which users do as often as in upper case. They are
 * returned under their names in upper case.
 */
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

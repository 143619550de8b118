import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { valueAt } from '../lib/value-at.ts'
import { splitAtRead } from './effective.ts'
import { missingFolders, unknownDeployments, unreadFiles } from './file-names.ts'
import type { FlagTexts } from './flags.ts'
import { type ChosenNetwork, Layers, splitList, type Variables } from './layers.ts'
import { isPublicNetwork } from './networks.ts'
import { type ConfigResult, parseConfig } from './parse.ts'
import { rows } from './rows.ts'
import type { Tree } from './tree.ts'

export interface LoadConfigOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly packageDir?: string
  readonly flags?: FlagTexts
  readonly isDaemon?: boolean
  readonly reads?: readonly string[] | undefined
}

export interface NetworkChoice {
  readonly name: string
  readonly chosenBy: string | undefined
}

export type LoadedConfig = ConfigResult & {
  readonly files: readonly string[]
  readonly network: NetworkChoice
  readonly written: Tree
  readonly production: boolean
  readonly overridden: readonly string[]
}

/**
 * Reads the configuration. Later sources override earlier ones:
 * - the package's `config/`
 * - `./config` (or `NODE_CONFIG_DIR`), unless it is the package's folder
 * - the file of `--config`
 * - the variables of `custom-environment-variables.yaml`
 * - `NODE_CONFIG`
 * - the other flags
 *
 * In each folder `default` comes first, then `NODE_ENV`, the network, `NODE_CONFIG_ENV` and `local`.
 * Invalid content makes the result a list of problems, never an exception.
 */
export function loadConfig({
  env = process.env,
  cwd = process.cwd(),
  packageDir = fileURLToPath(new URL('../../..', import.meta.url)),
  flags = {},
  isDaemon = true,
  reads,
}: LoadConfigOptions = {}): LoadedConfig {
  const variables = { ...proxyVariables(env), ...withoutEmpty(env) }
  const sources: Sources = { variables, cwd, own: join(packageDir, 'config'), flags }
  const layers = layersFor(sources)
  const { problems, files, config: written } = layers
  const production = layers.deployments.includes('production')
  const result = parseConfig(written, { production, isDaemon, reads, origin: (path) => layers.origin(path) })
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
  readonly own: string
  readonly flags: FlagTexts
}

/**
 * Reads all layers of the configuration. If a file or a variable names a public network whose file
 * was not read, this function reads them a second time, because the file of that network must come
 * before the variables and other later layers.
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
  const { problems, warnings } = layers
  if (variables['NODE_CONFIG_DIR'] !== undefined) warnings.push(...missingFolders(folders, layers))
  const { NODE_ENV, NODE_CONFIG_ENV } = variables
  const named = { NODE_ENV: splitList(NODE_ENV), NODE_CONFIG_ENV: splitList(NODE_CONFIG_ENV) }
  const unknown = unknownDeployments(named, layers)
  problems.push(...unknown.problems)
  warnings.push(...unknown.warnings, ...unreadFiles(folders, layers))
  layers.addFile(flags)
  layers.addVariables()
  layers.addNodeConfig()
  layers.addFlags(flags)
  return layers
}

function networkChoiceOf(layers: Layers, variables: Variables, { network }: FlagTexts): NetworkChoice {
  if (network !== undefined) return { name: network, chosenBy: '--network' }
  const option = layers.config['network']
  const chosenBy = layers.origin(['network'])
  const deployment = layers.deployments.find(isPublicNetwork)
  if (option !== 'remote' || deployment === undefined)
    return { name: typeof option === 'string' ? option : 'localnet', chosenBy }
  const isNamed = splitList(variables['NODE_CONFIG_ENV']).includes(deployment)
  return { name: deployment, chosenBy: isNamed ? 'NODE_CONFIG_ENV' : 'NODE_ENV' }
}

function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Variables {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => (entry[1] ?? '').trim() !== ''),
  )
}

/**
 * Returns the values of `https_proxy`, `http_proxy` and `no_proxy` under their names in upper case,
 * because users write either spelling.
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

/**
 * Returns a sentence for each option in a user's file that a variable or a flag overrides with
 * another value.
 * @param ownFolder the folder of this package's own files, which are meant to be overridden.
 */
function overriddenOptions(layers: Layers, ownFolder: string): readonly string[] {
  const files = new Set(layers.files.filter((file) => dirname(file) !== ownFolder))
  return rows.flatMap((row) => {
    if (row.at !== 'option') return []
    const [path] = splitAtRead(row.path)
    const setting = layers.getSources().filter(({ parsed }) => valueAt(parsed, path) !== undefined)
    const file = setting.findLast(({ name }) => files.has(name))
    const winner = setting.at(-1)
    if (file === undefined || winner === undefined || layers.files.includes(winner.name)) return []
    if (isDeepStrictEqual(valueAt(file.parsed, path), valueAt(winner.parsed, path))) return []
    return `${path.join('.')} in ${layers.shown(file.name)} is overridden by ${layers.origin(path)}`
  })
}

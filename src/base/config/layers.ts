import { existsSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { Load, Util } from 'config/lib/util.js'
import { parse as parseYaml } from 'yaml'
import { jsonOrText, parseJsonText } from '../lib/parse-json-text.ts'
import { NotAFile, readRegularFile } from '../lib/regular-file.ts'
import { valueAt } from '../lib/value-at.ts'
import { fileTypes, isConfigFile, variablesFile, withoutType } from './file-names.ts'
import { type ConfigFlag, type ConfigFlagName, configFlags, type FlagTexts } from './flags.ts'
import { isPublicNetwork, type PublicNetwork } from './networks.ts'
import { optionAt, ownVariables, rows } from './rows.ts'
import { isTree, pruned, type Tree } from './tree.ts'
import { isServiceAddress, unknownVariables } from './unknown-variables.ts'

const causes: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ENOTDIR: 'it is a file, not a folder',
  ELOOP: 'it is a loop of symbolic links',
}

export type Variables = Readonly<Record<string, string>>

/** Longer texts can block a running daemon for seconds while YAML is parsed. */
const longestFile = 65_536
const variablesSource = 'the environment'
const nodeConfigSource = 'NODE_CONFIG'
const flagsSource = 'the command line'

/**
 * Converters from the text of a variable or flag, by `OptionKind.format`. A text that no converter
 * understands stays a text, and the schema rejects it.
 */
const formats: Readonly<Record<string, (text: string) => unknown>> = {
  number: (text) => (Number.isNaN(Number(text)) ? text : Number(text)),
  boolean: (text) => ({ true: true, false: false })[text.trim().toLowerCase()] ?? text,
  list: splitList,
  json: jsonOrText,
}

export function splitList(text: string | undefined): string[] {
  const items = text?.split(',').map((item) => item.trim())
  return items?.filter((item) => item !== '') ?? []
}

/**
 * Reads the layers of the configuration: files, environment variables and flags; later layers win.
 * Unlike plain node-config, this class gets the environment as a parameter and reports an
 * unreadable file as a problem.
 */
export class Layers extends Load {
  readonly problems: string[] = []
  readonly warnings: string[] = []
  /**
   * The names whose configuration files are read in addition to `default` and `local`, such as
   * `production` or `mainnet`. If the user gives no such name, the list is `development` alone.
   */
  readonly deployments: readonly string[]
  readonly folders = new Map<string, readonly string[]>()
  readonly #variables: Variables
  readonly #cwd: string

  constructor(variables: Variables, cwd: string, network?: ChosenNetwork) {
    const { NODE_APP_INSTANCE: appInstance } = variables
    const deployments = deploymentsOf(variables, network)
    super({ hostName: '', nodeEnv: deployments, ...(appInstance && { appInstance }) })
    this.deployments = deployments
    this.#variables = variables
    this.#cwd = cwd
    this.parser = {
      parse: (file: string, content: string) => this.#read(file, content),
      getParser: (format: string) => (_: string, content: string) => formats[format]?.(content) ?? content,
      getFilesOrder: () => fileTypes,
    } as unknown as NonNullable<Load['parser']>
    this.options.parser = this.parser
  }

  get files(): readonly string[] {
    const names = this.getSources().map(({ name }) => name)
    return names.filter((name) => ![variablesSource, nodeConfigSource, flagsSource].includes(name))
  }

  addFolder(
    folder: string,
    host = this.#variables['HOST'] ?? this.#variables['HOSTNAME'] ?? hostname(),
  ): void {
    this.options.configDir = folder
    this.options.hostName = host
    this.#attempt(() => {
      const files = existsSync(folder) ? readdirSync(folder) : []
      this.folders.set(folder, files)
      for (const file of files.filter((name) => isConfigFile(name) && !existsSync(join(folder, name))))
        this.warnings.push(`${this.shown(join(folder, file))} is a symbolic link that leads to no file`)
      Util.loadFileConfigs(this)
    })
  }

  addFile({ config }: FlagTexts): void {
    if (config === undefined) return
    const file = resolve(this.#cwd, config)
    this.#attempt(() => {
      if (this.#textOf(file) === undefined) this.problems.push(`--config: there is no file ${config}`)
      else this.loadFile(file)
    }, '--config: ')
  }

  override loadFile(file: string): null {
    const text = this.#textOf(file)
    if (text !== undefined) this.addConfig(file, this.#read(file, text), text)
    return null
  }

  /**
   * Adds environment variables. The file `custom-environment-variables` in a folder tells which
   * variable sets which option.
   */
  addVariables(): void {
    const mapped: string[] = []
    // For an option whose variable is unset, node-config would read a variable named like the
    // option's format (`list`, `number`, `boolean`, `json`). Those variables are left out here.
    const { list: _list, number: _number, boolean: _boolean, json: _json, ...given } = this.#variables
    const links = Object.keys(given).filter((name) => isServiceAddress(given[name] as string))
    const variables = Object.fromEntries(Object.entries(given).filter(([name]) => !links.includes(name)))
    for (const [folder, files] of this.folders) {
      const file = files.find((name) => isConfigFile(name) && withoutType(name) === variablesFile)
      if (file === undefined) continue
      this.#attempt(() => {
        const mapping = this.#textOf(join(folder, file))
        if (mapping === undefined) return
        const names = this.#read(join(folder, file), mapping)
        mapped.push(...variablesIn(names))
        this.addConfig(variablesSource, this.substituteDeep(names, variables))
      })
    }
    const { problems, warnings } = unknownVariables(this.#variables, ownVariables, mapped)
    this.problems.push(...problems)
    this.warnings.push(...warnings)
    for (const name of links.filter((link) => ownVariables.includes(link) || mapped.includes(link)))
      this.warnings.push(
        `${name} is ignored: ${given[name]} is what Kubernetes sets for a service of that name (enableServiceLinks)`,
      )
  }

  addFlags(flags: FlagTexts): void {
    for (const [name, text] of Object.entries(flags)) {
      const { path }: ConfigFlag = configFlags[name as ConfigFlagName]
      if (path === undefined) continue
      const { format = 'text' } = optionAt(path) ?? {}
      const value: unknown = formats[format]?.(text) ?? text
      this.addConfig(
        flagsSource,
        path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Tree,
      )
    }
  }

  addNodeConfig(): void {
    const text = this.#variables[nodeConfigSource]
    if (text === undefined) return
    try {
      this.addConfig(nodeConfigSource, this.#checked(nodeConfigSource, parseJsonText(text)))
    } catch (error) {
      this.problems.push(`NODE_CONFIG must be a JSON object: ${firstLine(error)}`)
    }
  }

  /**
   * Returns the file, variable or flag that set the value at this path, in words for users, such as
   * `--port`.
   */
  origin(path: readonly PropertyKey[]): string | undefined {
    const source = this.getSources().findLast(({ parsed }) => valueAt(parsed, path) !== undefined)?.name
    return source === undefined ? undefined : this.#placeOf(source, path)
  }

  publicNetworks(): readonly {
    readonly network: PublicNetwork
    readonly place: string
    readonly isFile: boolean
  }[] {
    return this.getSources().flatMap(({ name, parsed }) => {
      const network = valueAt(parsed, ['network'])
      if (name === flagsSource || !isPublicNetwork(network)) return []
      const place = this.#placeOf(name, ['network'])
      return { network, place, isFile: ![variablesSource, nodeConfigSource].includes(name) }
    })
  }

  #placeOf(source: string, path: readonly PropertyKey[]): string {
    if (source === nodeConfigSource) return source
    if (source === flagsSource) return flagOf(path)
    if (source !== variablesSource) return this.shown(source)
    const { env = source } = optionAt(path) ?? {}
    return this.#variables[env] === undefined ? source : env
  }

  #textOf(file: string): string | undefined {
    try {
      return readRegularFile(file, longestFile)
        .toString()
        .replace(/^\ufeff/, '')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  #read(file: string, content: string): Tree {
    try {
      return this.#checked(this.shown(file), parseYaml(content, { logLevel: 'error' }) ?? {})
    } catch (error) {
      this.problems.push(`${this.shown(file)} cannot be read: ${firstLine(error)}`)
      return {}
    }
  }

  #checked(source: string, parsed: unknown): Tree {
    // node-config would write a key `__proto__` to the prototype of an object, outside the
    // configuration.
    if (isTree(parsed)) return withoutEmptySections(pruned(parsed, (key) => key !== '__proto__'))
    this.problems.push(`${source} must hold keys and values`)
    return {}
  }

  #attempt(work: () => void, option = ''): void {
    try {
      work()
    } catch (error) {
      this.problems.push(`${option}${sentenceOf(error, (path) => this.shown(path))}`)
    }
  }

  shown(path: string): string {
    const near = relative(this.#cwd, path)
    return near.startsWith('..') ? path : near
  }
}

/**
 * The network that the user chose by name. This choice overrides public networks in
 * `NODE_CONFIG_ENV`.
 */
export type ChosenNetwork = PublicNetwork | 'localnet'

/**
 * Returns the names whose configuration files are read. Unlike in plain node-config,
 * `NODE_CONFIG_ENV` does not replace `NODE_ENV`: the names of both apply, so that `production` can
 * be combined with any network.
 */
function deploymentsOf(variables: Variables, network: ChosenNetwork | undefined): string[] {
  const named = splitList(variables['NODE_CONFIG_ENV'])
  const chosen = [
    ...splitList(variables['NODE_ENV']),
    ...(isPublicNetwork(network) ? [network] : []),
    ...named.filter((name) => network === undefined || !isPublicNetwork(name)),
  ]
  return chosen.length === 0 ? ['development'] : [...new Set(chosen)]
}

function variablesIn(mapping: unknown): readonly string[] {
  if (typeof mapping === 'string') return [mapping]
  if (!isTree(mapping)) return []
  const { __name: name } = mapping
  return typeof name === 'string' ? [name] : Object.values(mapping).flatMap(variablesIn)
}

function flagOf(path: readonly PropertyKey[]): string {
  const key = path.join('.')
  const flag = Object.entries<ConfigFlag>(configFlags).find((entry) => entry[1].path?.join('.') === key)
  return flag === undefined ? flagsSource : `--${flag[0]}`
}

/**
 * Removes sections that are null, because all their keys are commented out. A null section would
 * erase the values of earlier layers.
 */
function withoutEmptySections(tree: Tree): Tree {
  for (const { at, path } of rows) {
    const parent = valueAt(tree, path.slice(0, -1))
    const key = path.at(-1)
    if (at !== 'option' && key !== undefined && isTree(parent) && parent[key] === null) delete parent[key]
  }
  return tree
}

export function sentenceOf(error: unknown, shown: (path: string) => string): string {
  if (error instanceof NotAFile) return `${shown(error.path)} cannot be read: it is ${error.what}`
  const { path, code } = error as NodeJS.ErrnoException
  if (path === undefined || code === undefined) return firstLine(error)
  return `${shown(path)} cannot be read: ${causes[code] ?? code}`
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/:$/, '')
}

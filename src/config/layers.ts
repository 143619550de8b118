import { existsSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, extname, join, relative } from 'node:path'
import { Load, Util } from 'config/lib/util.js'
import { parse as parseYaml } from 'yaml'
import { nearestKey } from './nearest.ts'
import { optionAt, rows } from './rows.ts'
import { isTree, pruned, type Tree, valueAt } from './tree.ts'

/** An environment without its empty variables. */
export type Variables = Readonly<Record<string, string>>

const fileTypes = ['json', 'yaml', 'yml']
const variablesFile = 'custom-environment-variables'
const variablesSource = 'the environment'
const nodeConfigSource = 'NODE_CONFIG'

/** Conventional deployment names, which need no file. */
const ordinaryDeployments = ['development', 'test', 'production']

/**
 * Converts the text of a variable to a value. Text that cannot be converted stays text, so that the schema rejects it.
 */
const formats: Readonly<Record<string, (text: string) => unknown>> = {
  number: (text) => (Number.isNaN(Number(text)) ? text : Number(text)),
  boolean: (text) => ({ true: true, false: false })[text.trim().toLowerCase()] ?? text,
  list: splitList,
}

/** Converts `a, b` to `['a', 'b']`. */
export function splitList(text: string | undefined): string[] {
  const items = text?.split(',').map((item) => item.trim())
  return items?.filter((item) => item !== '') ?? []
}

/**
 * The configuration while it is loaded; later layers override earlier ones. node-config finds and merges the files. The
 * environment is a parameter, and a file that cannot be read adds a problem instead of throwing an error.
 */
export class Layers extends Load {
  readonly problems: string[] = []
  readonly #variables: Variables
  readonly #cwd: string
  readonly #folders = new Map<string, readonly string[]>()

  constructor(variables: Variables, cwd: string) {
    const { NODE_APP_INSTANCE: appInstance } = variables
    super({ hostName: '', nodeEnv: deploymentsOf(variables), ...(appInstance && { appInstance }) })
    this.#variables = variables
    this.#cwd = cwd
    this.parser = {
      parse: (file: string, content: string) => this.#read(file, content),
      getParser: (format: string) => (_: string, content: string) => formats[format]?.(content) ?? content,
      getFilesOrder: () => fileTypes,
    } as unknown as NonNullable<Load['parser']>
    this.options.parser = this.parser
  }

  /** The files that were read, in order. */
  get files(): readonly string[] {
    const names = this.getSources().map(({ name }) => name)
    return names.filter((name) => name !== variablesSource && name !== nodeConfigSource)
  }

  /**
   * Adds the configuration files of a folder. A folder that does not exist adds nothing.
   * @param host the host whose files are read too; by default, this machine.
   */
  addFolder(
    folder: string,
    host = this.#variables['HOST'] ?? this.#variables['HOSTNAME'] ?? hostname(),
  ): void {
    this.options.configDir = folder
    this.options.hostName = host
    this.#attempt(() => {
      this.#folders.set(folder, existsSync(folder) ? readdirSync(folder) : [])
      Util.loadFileConfigs(this)
    })
  }

  /**
   * Adds a problem for each deployment in `NODE_CONFIG_ENV` that has no file. The daemon would otherwise silently run the
   * localnet.
   */
  requireDeployments(): void {
    const known = [...this.#folders.values()].flat().filter(isDeploymentFile).map(withoutType)
    for (const name of splitList(this.#variables['NODE_CONFIG_ENV'])) {
      if (known.includes(name) || ordinaryDeployments.includes(name)) continue
      const places = [...this.#folders.keys()].map((folder) => this.#shown(folder)).join(' or ')
      this.problems.push(
        `NODE_CONFIG_ENV: no ${name}.yaml in ${places}; did you mean ${nearestKey('', name, known)}?`,
      )
    }
  }

  /** Adds the variables that `custom-environment-variables` in the folders maps to keys. */
  addVariables(): void {
    const { list: _list, number: _number, boolean: _boolean, ...variables } = this.#variables
    for (const [folder, files] of this.#folders) {
      const file = files.find((name) => isConfigFile(name) && withoutType(name) === variablesFile)
      if (file === undefined) continue
      this.#attempt(() => {
        const mapping = new Load({ ...this.options, skipConfigSources: true })
        mapping.loadFile(join(folder, file))
        this.addConfig(variablesSource, this.substituteDeep(mapping.config, variables))
      })
    }
  }

  addNodeConfig(): void {
    const text = this.#variables[nodeConfigSource]
    if (text === undefined) return
    try {
      this.addConfig(nodeConfigSource, this.#checked(nodeConfigSource, JSON.parse(text)))
    } catch (error) {
      this.problems.push(`NODE_CONFIG must be a JSON object: ${firstLine(error)}`)
    }
  }

  /** Where the value at this path was set: a file or a variable. Undefined if it was not set. */
  origin(path: readonly PropertyKey[]): string | undefined {
    const source = this.getSources().findLast(({ parsed }) => valueAt(parsed, path) !== undefined)?.name
    if (source === undefined || source === nodeConfigSource) return source
    return source === variablesSource ? (optionAt(path)?.env ?? source) : this.#shown(source)
  }

  #read(file: string, content: string): Tree {
    try {
      return this.#checked(this.#shown(file), parseYaml(content, { logLevel: 'error' }) ?? {})
    } catch (error) {
      this.problems.push(`${this.#shown(file)} cannot be read: ${firstLine(error)}`)
      return {}
    }
  }

  #checked(source: string, parsed: unknown): Tree {
    // node-config's merge would write `__proto__` to the prototype, outside the configuration.
    if (isTree(parsed)) return withoutEmptySections(pruned(parsed, (key) => key !== '__proto__'))
    this.problems.push(`${source} must hold keys and values`)
    return {}
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.problems.push(firstLine(error))
    }
  }

  #shown(path: string): string {
    const near = relative(this.#cwd, path)
    return near.startsWith('..') ? path : near
  }
}

/**
 * node-config lets `NODE_CONFIG_ENV` replace `NODE_ENV`. Here `NODE_CONFIG_ENV` adds to it, so that production can run
 * with any network.
 */
function deploymentsOf(variables: Variables): string[] {
  const chosen = [...splitList(variables['NODE_ENV']), ...splitList(variables['NODE_CONFIG_ENV'])]
  return chosen.length === 0 ? ['development'] : [...new Set(chosen)]
}

function isDeploymentFile(file: string): boolean {
  return isConfigFile(file) && !['default', 'local', variablesFile].includes(withoutType(file))
}

function isConfigFile(file: string): boolean {
  return fileTypes.includes(extname(file).slice(1))
}

function withoutType(file: string): string {
  return basename(file, extname(file))
}

/** A section whose keys are all commented out parses as null, and must not erase the section of earlier layers. */
function withoutEmptySections(tree: Tree): Tree {
  for (const { at, path } of rows) {
    const parent = valueAt(tree, path.slice(0, -1))
    const key = path.at(-1)
    if (at !== 'option' && key !== undefined && isTree(parent) && parent[key] === null) delete parent[key]
  }
  return tree
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/:$/, '')
}

import { hasMethods, kindOf, type OptionRules, problemOf } from '../lib/option-rules.ts'
import { parseConfig } from './parse.ts'
import type { Config } from './resolve.ts'
import { isTree } from './tree.ts'

const libraryOptions = ['network', 'scanClient', 'cache', 'evidence'] as const

export interface LibraryOptionsRead {
  readonly config: Config | undefined
  readonly warnings: readonly string[]
  readonly problems: readonly string[]
}

const noSeed = 'scanClient.seedUrls must name at least one scan: the library starts no localnet'
const networks: readonly unknown[] = [undefined, 'localnet', 'remote']

/** Reads what a program gives to the library, which a type of TypeScript may not have checked. */
export function readLibraryOptions(
  options: unknown,
  deps: unknown,
  reads: readonly string[],
): LibraryOptionsRead {
  const { problems, ...read } = readOptions(options, reads)
  return { ...read, problems: [...problems, ...misplacedDeps(deps)] }
}

function readOptions(options: unknown, reads: readonly string[]): LibraryOptionsRead {
  if (!isTree(options)) {
    const problem = 'createBftScan takes an object such as { scanClient: { seedUrls: [...] } }'
    return { config: undefined, warnings: [], problems: [problem] }
  }
  const sections = libraryOptions.map((name) => [name, options[name]] as const)
  const network = options['network'] === 'localnet' ? 'localnet' : 'remote'
  const parsed = parseConfig({ ...Object.fromEntries(sections), network }, { isDaemon: false, reads })
  const misplaced = misplacedOptions(options)
  if (!parsed.ok) return { config: undefined, warnings: [], problems: [...misplaced, ...parsed.problems] }
  const { config, warnings } = parsed
  const seedless = config.scanClient.seedUrls.length === 0 ? [noSeed] : []
  return { config, warnings, problems: [...misplaced, ...seedless] }
}

function misplacedOptions(options: Readonly<Record<string, unknown>>): readonly string[] {
  const others = Object.keys(options).filter((key) => !libraryOptions.some((name) => name === key))
  const problems = others.map(
    (key) => `${key}: no option of the library; it has ${libraryOptions.join(', ')}`,
  )
  if (networks.includes(options['network'])) return problems
  return [...problems, `network: must be localnet or remote; a public network is given by its seedUrls`]
}

const depRules: OptionRules = {
  logger: {
    accepts: hasMethods('debug', 'info', 'warn', 'error', 'child'),
    expected: 'a Logger with the methods debug, info, warn, error and child',
  },
  clock: {
    accepts: hasMethods('now', 'wall', 'after'),
    expected: 'a Clock with the methods now, wall and after',
  },
}

/** JavaScript programs can pass an argument that the type forbids. */
function misplacedDeps(deps: unknown): readonly string[] {
  const misplaced = libraryOptions.find(
    (name) => kindOf(deps) === 'Object' && Object.hasOwn(deps as object, name),
  )
  if (misplaced !== undefined)
    return [`${misplaced}: belongs into the first argument of createBftScan; the second has logger and clock`]
  const problem = problemOf(deps, depRules, 'the second argument of createBftScan')
  return problem === undefined ? [] : [problem]
}

import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { distance, similarWord } from '../lib/similar-words.ts'
import { publicNetworks } from './networks.ts'

/**
 * Names that `NODE_ENV` and `NODE_CONFIG_ENV` may have even if no configuration file has that name.
 */
const usualNodeEnvs = ['production', 'development', 'test']

/** The minimum length of an abbreviation, such as `prod` for `production`. */
const shortestBeginning = 3

const wrongFileNames = ['config', 'configuration', 'settings', 'options', 'bft-scan-proxy', 'scan-proxy']

/** The file types of configuration files, in the order in which they are read. */
export const fileTypes = ['json', 'yaml', 'yml']
export const variablesFile = 'custom-environment-variables'

export interface Searched {
  readonly folders: ReadonlyMap<string, readonly string[]>
  readonly files: readonly string[]
  shown(path: string): string
}

export function isConfigFile(file: string): boolean {
  return fileTypes.includes(extname(file).slice(1))
}

export function withoutType(file: string): string {
  return basename(file, extname(file))
}

/**
 * Finds names in `NODE_CONFIG_ENV` and `NODE_ENV` that have no file. Without this check, a typo
 * would start the default network, a localnet. A name in `NODE_ENV` that is similar to no known name
 * may be meant for other programs, so it is only a warning.
 */
export function unknownDeployments(
  names: Readonly<Record<'NODE_ENV' | 'NODE_CONFIG_ENV', readonly string[]>>,
  searched: Searched,
): { readonly problems: readonly string[]; readonly warnings: readonly string[] } {
  const problems: string[] = []
  const warnings: string[] = []
  const known = [...searched.folders.values()].flat().filter(isDeploymentFile).map(withoutType)
  const found = [...new Set(known)].sort().join(', ')
  const places = [...searched.folders.keys()].map((folder) => searched.shown(folder)).join(' or ')
  for (const variable of ['NODE_ENV', 'NODE_CONFIG_ENV'] as const) {
    const likely = variable === 'NODE_ENV' ? [...usualNodeEnvs, ...known] : [...known, ...usualNodeEnvs]
    for (const name of names[variable].filter((each) => !likely.includes(each))) {
      const meant = meantBy(name, likely)
      const hint = meant === undefined ? `there are ${found}` : `did you mean ${meant}?`
      const isFatal = meant !== undefined || variable === 'NODE_CONFIG_ENV'
      const texts = isFatal ? problems : warnings
      texts.push(`${variable}: no ${name}.yaml in ${places}; ${hint}`)
    }
  }
  return { problems, warnings }
}

export function unreadFiles(folders: readonly string[], searched: Searched): readonly string[] {
  const found = folders.flatMap((folder) =>
    (searched.folders.get(folder) ?? []).filter(isConfigFile).map((file) => join(folder, file)),
  )
  return found.flatMap((path) => {
    const meant = searched.files.includes(path) ? undefined : meantFileName(withoutType(path))
    if (meant === undefined) return []
    return `${searched.shown(path)} is not read; did you mean ${meant}${extname(path)}?`
  })
}

/**
 * Returns a warning for each missing folder of `NODE_CONFIG_DIR`. Otherwise a user would not notice
 * that the defaults apply.
 */
export function missingFolders(folders: readonly string[], searched: Searched): readonly string[] {
  return folders
    .filter((folder) => !existsSync(folder))
    .map((folder) => {
      const meant = nearestFolder(folder)
      const hint = meant === undefined ? '' : `; did you mean ${searched.shown(meant)}?`
      return `NODE_CONFIG_DIR: there is no folder ${searched.shown(folder)}${hint}`
    })
}

function isDeploymentFile(file: string): boolean {
  return isConfigFile(file) && !['default', 'local', variablesFile].includes(withoutType(file))
}

function nearestFolder(missing: string): string | undefined {
  const parent = dirname(missing)
  if (!existsSync(parent)) return undefined
  const folders = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).filter((name) => !name.startsWith('.'))
  const nearest = similarWord(basename(missing), names)
  return nearest && join(parent, nearest)
}

/**
 * Returns the file name that the user probably meant, such as `local` for `locl` or `config`.
 * Returns undefined if the given name may be right, or if no known file name is similar.
 */
function meantFileName(name: string): string | undefined {
  const always = ['local', 'default', 'custom-environment-variables']
  const others = [...usualNodeEnvs, ...publicNetworks]
  const known = [...always, ...others, ...others.map((other) => `local-${other}`)]
  if (known.includes(name) || others.some((other) => name.startsWith(other))) return undefined
  return wrongFileNames.includes(name) ? 'local' : known.find((each) => distance(name, each) === 1)
}

function meantBy(name: string, known: readonly string[]): string | undefined {
  const similar = similarWord(name, known)
  if (similar !== undefined || name.length < shortestBeginning) return similar
  return known.find((each) => each.startsWith(name.toLowerCase()))
}

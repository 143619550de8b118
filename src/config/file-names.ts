import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { distance } from '../lib/similar-words.ts'
import { deploymentProblem, meantFileName } from './deployments.ts'

/** The file types of configuration files, in the order in which they are read. */
export const fileTypes = ['json', 'yaml', 'yml']
export const variablesFile = 'custom-environment-variables'

/** The folders in which the daemon looked for configuration files. */
export interface Searched {
  /** The names of the files in each folder, by the folder's path. */
  readonly folders: ReadonlyMap<string, readonly string[]>
  /** The paths of the files that were read. */
  readonly files: readonly string[]
  /** Returns a path in the form that messages show. */
  shown(path: string): string
}

export function isConfigFile(file: string): boolean {
  return fileTypes.includes(extname(file).slice(1))
}

export function withoutType(file: string): string {
  return basename(file, extname(file))
}

/**
 * Returns a problem for each name in `NODE_CONFIG_ENV` that has no file, and for each typo in `NODE_ENV`.
 * Without this check, a typo would silently start the default network, which is a localnet. Other unknown
 * names in `NODE_ENV` cause a warning, because they may be meant for other programs.
 * @param names the names that the user wrote in each of the two variables.
 */
export function unknownDeployments(
  names: Readonly<Record<'NODE_ENV' | 'NODE_CONFIG_ENV', readonly string[]>>,
  searched: Searched,
): { readonly problems: readonly string[]; readonly warnings: readonly string[] } {
  const problems: string[] = []
  const warnings: string[] = []
  const known = [...searched.folders.values()].flat().filter(isDeploymentFile).map(withoutType)
  const places = [...searched.folders.keys()].map((folder) => searched.shown(folder)).join(' or ')
  for (const variable of ['NODE_ENV', 'NODE_CONFIG_ENV'] as const)
    for (const name of names[variable]) {
      const problem = deploymentProblem({ variable, name }, known, places)
      if (problem === undefined) continue
      const isFatal = problem.isTypo || variable === 'NODE_CONFIG_ENV'
      const found = isFatal ? problems : warnings
      found.push(problem.text)
    }
  return { problems, warnings }
}

/** Returns a warning for each file in these folders that is not read because its name is probably misspelt. */
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
 * Returns a warning for each of the folders in `NODE_CONFIG_DIR` that is missing. Without the warning, a user
 * with a typo in this variable would not notice that the defaults apply.
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

/**
 * Returns the folder that the user probably meant instead of a missing one: the folder beside it with the
 * most similar name. Returns undefined if there is no such folder, or if more than a third of the letters
 * differ.
 */
function nearestFolder(missing: string): string | undefined {
  const parent = dirname(missing)
  if (!existsSync(parent)) return undefined
  const folders = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).filter((name) => !name.startsWith('.'))
  const name = basename(missing)
  const [nearest] = names.sort((a, b) => distance(name, a) - distance(name, b))
  if (nearest === undefined || distance(name, nearest) > name.length / 3) return undefined
  return join(parent, nearest)
}

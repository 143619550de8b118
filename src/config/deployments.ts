import { distance, similarWord } from '../lib/similar-words.ts'
import { publicNetworks } from './networks.ts'

/**
 * Names that `NODE_ENV` and `NODE_CONFIG_ENV` may have even if no configuration file has that name.
 */
const usualNodeEnvs = ['production', 'development', 'test']

/** The minimum length of an abbreviation, such as `prod` for `production`. */
const shortestBeginning = 3

export interface NamedDeployment {
  readonly variable: 'NODE_ENV' | 'NODE_CONFIG_ENV'
  readonly name: string
}

/**
 * Returns the problem of a name without a configuration file, such as `NODE_CONFIG_ENV: no
 * mainent.yaml in config; did you mean mainnet?`. `isTypo` is true if a known name is similar.
 */
export function deploymentProblem(
  { variable, name }: NamedDeployment,
  known: readonly string[],
  places: string,
): { readonly text: string; readonly isTypo: boolean } | undefined {
  if (known.includes(name) || usualNodeEnvs.includes(name)) return undefined
  const names = variable === 'NODE_ENV' ? [...usualNodeEnvs, ...known] : [...known, ...usualNodeEnvs]
  const meant = meantBy(name, names)
  const hint =
    meant === undefined ? `; there are ${[...new Set(known)].sort().join(', ')}` : `; did you mean ${meant}?`
  return { text: `${variable}: no ${name}.yaml in ${places}${hint}`, isTypo: meant !== undefined }
}

const wrongFileNames = ['config', 'configuration', 'settings', 'options', 'bft-scan-proxy', 'scan-proxy']

/**
 * Returns the file name that the user probably meant, such as `local` for `locl` or `config`.
 * Returns undefined if the given name may be right, or if no known file name is similar.
 */
export function meantFileName(name: string): string | undefined {
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

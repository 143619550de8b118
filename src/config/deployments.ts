import { distance, similarWord } from '../lib/similar-words.ts'
import { publicNetworks } from './networks.ts'

/** Names of environments that are conventional and need no file. */
const ordinary = ['production', 'development', 'test']

/** The fewest letters by which the beginning of a name stands for it, as `prod` does for `production`. */
const shortestBeginning = 3

export interface NamedDeployment {
  readonly variable: 'NODE_ENV' | 'NODE_CONFIG_ENV'
  readonly name: string
}

/** Returns why a name is no environment: `no mainent.yaml in config; did you mean mainnet?`. Undefined if it is one. */
export function deploymentProblem(
  { variable, name }: NamedDeployment,
  known: readonly string[],
  places: string,
): { readonly text: string; readonly isTypo: boolean } | undefined {
  if (known.includes(name) || ordinary.includes(name)) return undefined
  const names = variable === 'NODE_ENV' ? [...ordinary, ...known] : [...known, ...ordinary]
  const meant = meantBy(name, names)
  const hint =
    meant === undefined ? `; there are ${[...new Set(known)].sort().join(', ')}` : `; did you mean ${meant}?`
  return { text: `${variable}: no ${name}.yaml in ${places}${hint}`, isTypo: meant !== undefined }
}

/**
 * Returns the name that a file which no environment reads is meant to have, such as `local` for `locl`. Undefined if it may
 * well be that of another environment or host.
 */
export function meantFileName(name: string): string | undefined {
  const always = ['local', 'default', 'custom-environment-variables']
  const others = [...ordinary, ...publicNetworks]
  const known = [...always, ...others, ...others.map((other) => `local-${other}`)]
  if (known.includes(name) || others.some((other) => name.startsWith(other))) return undefined
  return known.find((each) => distance(name, each) === 1)
}

function meantBy(name: string, known: readonly string[]): string | undefined {
  const similar = similarWord(name, known)
  if (similar !== undefined || name.length < shortestBeginning) return similar
  return known.find((each) => each.startsWith(name.toLowerCase()))
}

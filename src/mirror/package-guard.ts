import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import type { AmuletRules } from '../reads/dso.ts'

/**
 * The versions of the package `splice-amulet-name-service` that this release knows. In another
 * version, entries might be archived before they expire, and answers of the mirror would be wrong.
 */
const versionsRead = Array.from({ length: 24 }, (_, patch) => `0.1.${patch}`)

export function packageProblem({ amulet_rules_update: { contract } }: AmuletRules): string | undefined {
  const said = versionsIn(contract.payload)
  if (said === undefined) return 'The agreed AmuletRules state no version of the name-service package.'
  const unknown = said.find((version) => !versionsRead.includes(version))
  if (unknown === undefined) return undefined
  const known = `${versionsRead[0]} to ${versionsRead.at(-1)}`
  return `The agreed AmuletRules use version ${unknown} of the name-service package; this release knows ${known}.`
}

/**
 * Returns the versions of the name-service package that `AmuletRules` state: the version in force
 * and, with older releases of Splice, the versions scheduled for later. Returns undefined if a
 * version cannot be read.
 */
function versionsIn(payload: { readonly [key: string]: Json }): readonly string[] | undefined {
  const { configSchedule } = payload
  if (!isJsonObject(configSchedule)) return undefined
  const { initialValue, futureValues = [] } = configSchedule
  if (!Array.isArray(futureValues)) return undefined
  const scheduled = futureValues.map((value: Json) => (isJsonObject(value) ? (value['_2'] ?? null) : null))
  const versions = [initialValue ?? null, ...scheduled].map(versionIn)
  return versions.every((version) => version !== undefined) ? versions : undefined
}

function versionIn(config: Json): string | undefined {
  const packages = isJsonObject(config) ? config['packageConfig'] : undefined
  const version = isJsonObject(packages) ? packages['amuletNameService'] : undefined
  return typeof version === 'string' ? version : undefined
}

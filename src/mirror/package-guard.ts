import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import type { AmuletRules } from '../reads/dso.ts'

/** The versions of `splice-amulet-name-service` for which this release knows all ways in which an entry ends. */
const versionsRead: ReadonlySet<string> = new Set(Array.from({ length: 24 }, (_, patch) => `0.1.${patch}`))

/**
 * Returns the sentence that says why the mirror must serve nothing; undefined if it may serve.
 * @param rules the agreed answer of `getAmuletRules`.
 */
export function packageProblem({ amulet_rules_update: { contract } }: AmuletRules): string | undefined {
  const said = versionsIn(contract.payload)
  if (said === undefined) return 'The agreed AmuletRules state no version of the name-service package.'
  const unknown = said.find((version) => !versionsRead.has(version))
  if (unknown === undefined) return undefined
  return `The agreed AmuletRules use version ${unknown} of the name-service package; this release knows 0.1.0 to 0.1.23.`
}

/**
 * Returns the version in force and, in AmuletRules of older releases, those that are scheduled. Undefined if one of
 * them cannot be read.
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

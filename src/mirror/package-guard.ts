import { isJsonObject, type Json } from '../base/lib/canonical-json.ts'
import type { AmuletRules } from '../core/reads/dso.ts'

interface AuditedVersions {
  readonly versions: readonly string[]
  readonly because: string
}

/**
 * The versions of the package `splice-amulet-name-service` with which a binding holds: nobody can
 * end an entry before it expires, except its owner and the DSO together.
 * docs/mirror.md#audit-a-version-of-the-name-service says how to find the reason for another one.
 */
export const auditedVersions: readonly AuditedVersions[] = [
  {
    versions: Array.from({ length: 23 }, (_, patch) => `0.1.${patch}`),
    because:
      '`AnsEntry` is signed by its owner and the DSO, has the choices `AnsEntry_Expire` (after `expiresAt` only) and `AnsEntry_Renew` (both together), and implements no interface',
  },
  {
    versions: ['0.1.23'],
    because: 'Splice 0.7.5: `AnsEntry` as before',
  },
  {
    versions: ['0.1.24'],
    because:
      'Splice 0.8.0: `AnsEntry` as before; the package depends on no credentials package, so `AnsEntry` cannot implement `Credential`, whose `Credential_ArchiveAsHolder` is for the owner alone',
  },
]

const newestAudited = auditedVersions.at(-1)?.versions.at(-1) as string

/**
 * Says why the mirror must serve nothing while the ledger has these rules.
 * @param further versions that the operator audited (`mirror.packages`).
 */
export function packageProblem(
  { amulet_rules_update: { contract } }: AmuletRules,
  further: readonly string[] = [],
): string | undefined {
  const said = versionsIn(contract.payload)
  if (said === undefined)
    return 'The agreed AmuletRules state no version of the name-service package, so nobody knows who may end a name.'
  const known = [...auditedVersions.flatMap(({ versions }) => versions), ...further]
  const unknown = said.find((version) => !known.includes(version))
  if (unknown === undefined) return undefined
  return `The agreed AmuletRules use version ${unknown.slice(0, 32)} of the name-service package, which this release does not know (newest: ${newestAudited}). Take a newer release, or audit the version as docs/mirror.md says and add it to mirror.packages.`
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

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../src/base/lib/canonical-json.ts'
import type { AmuletRules } from '../../src/core/reads/dso.ts'
import { auditedVersions, packageProblem } from '../../src/mirror/package-guard.ts'
import { top } from '../arch/sources.ts'

function rules(configSchedule: Json): AmuletRules {
  const contract = {
    template_id: 'ab:Splice.AmuletRules:AmuletRules',
    contract_id: '00ab',
    payload: { configSchedule },
    created_event_blob: '',
    created_at: '2026-01-01T00:00:00Z',
  }
  return { amulet_rules_update: { contract, domain_id: null } }
}

const using = (version: Json) => ({ packageConfig: { amulet: '0.1.30', amuletNameService: version } })

test.each(['0.1.0', '0.1.4', '0.1.23', '0.1.24'])(
  'version %s of the name-service package may be mirrored',
  (version) => {
    expect(packageProblem(rules({ initialValue: using(version) }))).toBeUndefined()
    expect(packageProblem(rules({ initialValue: using(version), futureValues: [] }))).toBeUndefined()
  },
)

test.each(['0.1.25', '0.2.0', '1.1.1', '0.1.4-rc', ''])(
  'version "%s" is unknown, and the sentence says which one it is and what to do',
  (version) => {
    expect(packageProblem(rules({ initialValue: using(version), futureValues: [] }))).toBe(
      `The agreed AmuletRules use version ${version} of the name-service package, which this release does not know (newest: 0.1.24). Take a newer release, or audit the version as docs/mirror.md says and add it to mirror.packages.`,
    )
  },
)

test('a version that the operator audited may be mirrored as well, and no other one', () => {
  expect(packageProblem(rules({ initialValue: using('0.1.25') }), ['0.1.25'])).toBeUndefined()
  expect(packageProblem(rules({ initialValue: using('0.1.24') }), ['0.1.25'])).toBeUndefined()
  expect(packageProblem(rules({ initialValue: using('0.1.26') }), ['0.1.25'])).toMatch(/version 0\.1\.26/)
})

test('docs/mirror.md has the table of versions with the reasons', () => {
  const page = readFileSync(join(top, 'docs/mirror.md'), 'utf8')
  for (const { versions, because } of auditedVersions) {
    const range = versions.length === 1 ? versions[0] : `${versions[0]} to ${versions.at(-1)}`
    expect(page).toContain(`| ${range} | ${because} |`)
  }
})

test('a version that is scheduled counts as well', () => {
  const futureValues = [{ _1: '2026-09-01T00:00:00Z', _2: using('0.2.0') }]
  expect(packageProblem(rules({ initialValue: using('0.1.23'), futureValues }))).toMatch(/version 0\.2\.0/)
})

test.each([
  null,
  {},
  { initialValue: {} },
  { initialValue: using(7) },
  { initialValue: using('0.1.4'), futureValues: [7] },
  { initialValue: using('0.1.4'), futureValues: {} },
])('rules of the shape %j state no version', (schedule) => {
  expect(packageProblem(rules(schedule as Json))).toMatch(/state no version/)
})

import { createHash } from 'node:crypto'
import type { Random } from '../../src/base/lib/random.ts'
import type { SnapshotContract } from '../../src/core/reads/snapshots.ts'
import { rowOf, type SnapshotRow, textOf } from '../../src/mirror/snapshot-page.ts'
import { pick } from './random.ts'

export const dso = `DSO::1220${'d5'.repeat(32)}`
export const otherDso = `DSO::1220${'e6'.repeat(32)}`

function hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function partyOf(name: string): string {
  return `${name.replaceAll('.', '-')}::1220${hex(name)}`
}

export function ansEntry(
  name: string,
  {
    user = partyOf(name),
    version = 0,
    expiresAt = '2026-06-01T12:00:00Z',
    createdAt = '2026-01-01T00:00:00.12Z',
    of = dso,
  } = {},
): SnapshotContract {
  return {
    created_in_update_id: `1220${hex(`update ${name} ${version}`)}`,
    contract_id: `00${hex(`${name} ${version}`)}ca11`,
    template_id: `${hex('ans')}:Splice.Ans:AnsEntry`,
    package_name: 'splice-amulet-name-service',
    create_arguments: {
      user,
      dso: of,
      name,
      url: `https://${name}.example`,
      description: `"${name}" ✓`,
      expiresAt,
    },
    created_at: createdAt,
    signatories: [of, user],
    observers: [],
  }
}

export function rulesOf(of = dso): readonly SnapshotContract[] {
  const made = {
    created_in_update_id: null,
    created_at: '2026-01-01T00:00:00Z',
    signatories: [of],
    observers: [],
  }
  return [
    {
      ...made,
      contract_id: `00${hex('dso rules')}ca11`,
      template_id: `${hex('dso')}:Splice.DsoRules:DsoRules`,
      package_name: 'splice-dso-governance',
      create_arguments: {
        dso: of,
        svs: [['sv::1220ab', { name: 'sv-1', joinedAsOfRound: { number: '0' } }]],
        epoch: '0',
      },
    },
  ]
}

export function someLedger(random: Random, mostNames: number): readonly SnapshotContract[] {
  const count = Math.floor(random() * (mostNames + 1))
  const names = Array.from({ length: count }, (_, at) => `name-${at}.unverified.cns`)
  const entries = names.map((name) =>
    ansEntry(name, {
      version: Math.floor(random() * 3),
      expiresAt: pick(random, [
        '2026-06-01T12:00:00Z',
        '2026-06-01T12:00:00.5Z',
        '2026-07-01T12:00:00.123456Z',
      ]),
    }),
  )
  return [...entries, ...rulesOf()]
}

export function digestOfSet(contracts: readonly SnapshotContract[]): string {
  const hashes = contracts.map((contract) =>
    createHash('sha256')
      .update(textOf(rowOf(contract) as SnapshotRow))
      .digest('latin1'),
  )
  return createHash('sha256').update(hashes.sort().join(''), 'latin1').digest('base64url')
}

import type { Agreement } from '../../src/core/cache/agreement.ts'
import type { Withheld } from '../../src/mirror/degradation.ts'
import type { MirrorContent } from '../../src/mirror/mirror-file.ts'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'

export const dso = `DSO::1220${'d'.repeat(64)}`
const noon = Date.UTC(2026, 10, 22, 12)
const gridMs = 3 * 3_600_000

const agreement: Agreement = {
  agreed: ['Ünïcødé', 'sv-2'],
  threshold: 2,
  asked: 3,
  voters: 4,
  operators: { agreed: 2, threshold: 2, voters: 3 },
  complete: true,
  protected: true,
}

function entryOf(id: number, version = 0): MirroredEntry {
  return {
    contract_id: `00${id.toString(16).padStart(64, '0')}ca11${version.toString(16).padStart(8, '0')}`,
    user: `user-${id}::1220${'a'.repeat(64)}`,
    name: `name-${id}.unverified.cns`,
    url: id % 3 === 0 ? '' : `https://example-${id}.com/?v=${version}`,
    description: id % 5 === 0 ? `"Ünïcødé" \u2028 🦊 ${version}` : `Entry ${id}`,
    expires_at: new Date(noon + version).toISOString(),
  }
}

function withheldOf(id: number): Withheld {
  return {
    stop: { kind: 'withdrawn', names: id },
    unreconciledAt: noon + id,
    unknownPackage: `The version 0.1.${id} is not known.`,
    live: [[`name-${id}.unverified.cns`, noon + id]],
  }
}

export function contentOf(names: number, generation: number): MirrorContent {
  const at = noon + generation * gridMs
  return {
    set: {
      at,
      migrationId: 3,
      digest: `digest-of-${generation}`,
      entries: Array.from({ length: names }, (_, id) => entryOf(id, generation)),
      agreement,
      trustDigest: `trust-${generation}`,
      dso,
      members: [{ party: `sv-1::1220${'e'.repeat(64)}`, name: 'sv-1' }],
    },
    generation,
    reached: at + 1_000,
    withheld: generation % 2 === 0 ? { live: [] } : withheldOf(generation),
  }
}

/** The number of names in the content with this number. It differs much from one content to the next. */
export function namesIn(number: number): number {
  return (number * 379) % 1_300
}

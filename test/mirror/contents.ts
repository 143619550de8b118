import type { Agreement } from '../../src/cache/agreement.ts'
import type { Followed } from '../../src/mirror/following.ts'
import type { MirrorContent, OverlayEntry } from '../../src/mirror/store.ts'
import { nothingWithheld, type Withheld } from '../../src/mirror/withheld-in-file.ts'
import type { MirroredEntry } from '../../src/reads/mirrored-entry.ts'

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

export function entryOf(id: number, version = 0): MirroredEntry {
  return {
    contract_id: `00${id.toString(16).padStart(64, '0')}ca11${version.toString(16).padStart(8, '0')}`,
    user: `user-${id}::1220${'a'.repeat(64)}`,
    name: `name-${id}.unverified.cns`,
    url: id % 3 === 0 ? '' : `https://example-${id}.com/?v=${version}`,
    description: id % 5 === 0 ? `"Ünïcødé" \u2028 🦊 ${version}` : `Entry ${id}`,
    expires_at: new Date(noon + version).toISOString(),
  }
}

export function overlayOf(id: number, version = 0): OverlayEntry {
  return { entry: entryOf(id, version), agreedAt: noon + version, agreement }
}

export function stepOf(id: number, after: string): Followed {
  const at = new Date(noon + id).toISOString()
  const members = { members: [{ party: `sv-2::1220${'e'.repeat(64)}`, name: 'sv-2' }] }
  return {
    after,
    at,
    synchronizer: 'global',
    agreement,
    updates: [
      { at, created: [entryOf(id, 7)], archived: [entryOf(id, 6).contract_id], members },
      { at, created: [], archived: [`00${id}`], members },
    ],
  }
}

export function withheldOf(id: number): Withheld {
  return {
    stop: { kind: 'withdrawn', names: id },
    unreconciledAt: noon + id,
    unknownPackage: `The version 0.1.${id} is not known.`,
    live: [[`name-${id}.unverified.cns`, noon + id]],
  }
}

export function contentOf(
  names: number,
  generation: number,
  overlay: readonly OverlayEntry[] = [],
): MirrorContent {
  return {
    set: {
      at: noon + generation * gridMs,
      migrationId: 3,
      digest: `digest-of-${generation}`,
      entries: Array.from({ length: names }, (_, id) => entryOf(id, generation)),
      agreement,
      trustDigest: `trust-${generation}`,
      dso,
      members: [{ party: `sv-1::1220${'e'.repeat(64)}`, name: 'sv-1' }],
    },
    generation,
    overlay,
    followed: undefined,
    withheld: nothingWithheld,
  }
}

/** Sorts the overlay by name, because a store may return the overlay in any order. */
export function ordered(content: MirrorContent | undefined): MirrorContent | undefined {
  if (content === undefined) return undefined
  const overlay = content.overlay.toSorted((a, b) => (a.entry.name < b.entry.name ? -1 : 1))
  return { ...content, overlay }
}

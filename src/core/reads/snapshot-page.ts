import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { compareCodePoints } from './code-points.ts'
import { canonicalInstant } from './instant.ts'
import {
  ansEntryTemplate,
  type DsoMember,
  entryIn,
  type MirroredEntry,
  membersIn,
  templateOf,
} from './mirrored-contracts.ts'
import type { PageToken } from './read.ts'
import { readingOf } from './reading.ts'
import { acsForms, type SnapshotContract, type SnapshotPage } from './snapshots.ts'

export interface SnapshotAsked {
  readonly at: number
  readonly migrationId: number
  readonly dso: string
  /** The wanted templates, each as `package-name:Module:Entity`. */
  readonly templates: readonly string[]
  readonly pageSize: number
}

/** The fields of a contract that the mirror uses. */
export interface SnapshotRow {
  readonly contractId: string
  /** Undefined for a contract that is no entry of the name service. */
  readonly entry: MirroredEntry | undefined
  /**
   * The super validators that a `DsoRules` contract lists; null if they cannot be read, and
   * undefined for other contracts.
   */
  readonly members: readonly DsoMember[] | null | undefined
}

export type PageReading =
  | {
      readonly kind: 'page'
      readonly rows: readonly SnapshotRow[]
      /** The scan's own token of the next page; undefined if this page is the last one. */
      readonly next: PageToken | undefined
    }
  | { readonly kind: 'fault'; readonly fault: 'misshapen' | 'wrong-answer' }

/**
 * Checks that a page of `POST /v2/state/acs`, or of an older form, has only what was requested. A full page may have a
 * token although the next page is empty.
 * @param body parsed JSON.
 */
export function readPage(body: unknown, asked: SnapshotAsked): PageReading {
  const reading = readingOf(acsForms, body)
  if (reading === undefined) return misshapen
  const page = reading.value as SnapshotPage
  if (page.migration_id !== asked.migrationId) return wrong
  if (canonicalInstant(page.record_time) !== recordTimeOf(asked.at)) return wrong
  const { created_events: contracts } = page
  if (contracts.length > asked.pageSize) return wrong
  if (!contracts.every((contract) => isWanted(contract, asked))) return wrong
  const rows = contracts.map(rowOf)
  if (!rows.every((row) => row !== undefined)) return misshapen
  return { kind: 'page', rows, next: page.next_page_token ?? undefined }
}

/**
 * Reduces a contract to what answers of the mirror are made of. Returns undefined for an entry that
 * cannot be read.
 */
export function rowOf(contract: SnapshotContract): SnapshotRow | undefined {
  const { contract_id: contractId } = contract
  if (templateOf(contract) !== ansEntryTemplate)
    return { contractId, entry: undefined, members: membersIn(contract.create_arguments) ?? null }
  const entry = entryIn(contract)
  return entry && { contractId, entry, members: undefined }
}

/**
 * Prints a row as canonical JSON. Scans vote on this alone: other fields of a contract may differ
 * between honest scans, such as the update that created an imported contract, or the text of a
 * decimal in another release.
 */
export function textOf({ contractId: contract_id, entry, members }: SnapshotRow): string {
  if (entry !== undefined) return canonicalJson({ ...entry })
  const sorted = members
    ?.map(({ party, name }) => [party, name])
    .sort(([a = ''], [b = '']) => compareCodePoints(a, b))
  return canonicalJson({ contract_id, members: sorted ?? null })
}

/** Formats milliseconds since 1970 like `2026-03-01T12:00:00Z`. */
export function recordTimeOf(at: number): string {
  return canonicalInstant(new Date(at).toISOString()) as string
}

function isWanted(contract: SnapshotContract, { templates, dso }: SnapshotAsked): boolean {
  return (
    templates.includes(templateOf(contract)) &&
    contract.create_arguments['dso'] === dso &&
    contract.signatories.includes(dso)
  )
}

const misshapen: PageReading = { kind: 'fault', fault: 'misshapen' }
const wrong: PageReading = { kind: 'fault', fault: 'wrong-answer' }

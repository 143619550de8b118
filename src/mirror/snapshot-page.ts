import { hash } from 'node:crypto'
import type { FaultKind } from '../base/errors/fault-kinds.ts'
import { canonicalJson } from '../base/lib/canonical-json.ts'
import { digest } from '../base/lib/digest.ts'
import { ownBytes } from '../base/lib/own-bytes.ts'
import { compareCodePoints } from '../core/reads/code-points.ts'
import { canonicalInstant } from '../core/reads/instant.ts'
import type { PageToken } from '../core/reads/read.ts'
import { readingOf } from '../core/reads/reading.ts'
import { maxElementsOf } from '../core/reads/request.ts'
import {
  acsForms,
  getAcsSnapshotAtV1,
  type SnapshotContract,
  type SnapshotPage,
} from '../core/reads/snapshots.ts'
import { tryParse } from '../core/scan/judgement.ts'
import {
  ansEntryTemplate,
  type DsoMember,
  entryIn,
  type MirroredEntry,
  membersIn,
  templateOf,
} from './mirrored-contracts.ts'

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

export type JudgedPage =
  | {
      readonly kind: 'page'
      /** The rows as JSON (`SnapshotRow`). */
      readonly rows: Uint8Array
      /** The SHA-256 of each row's text (`textOf`), one after another. */
      readonly hashes: Uint8Array
      readonly entries: number
      readonly others: number
      readonly next: PageToken | undefined
    }
  | { readonly kind: 'fault'; readonly fault: FaultKind }

/** The length of a hash of a row. */
const hashBytes = 32

/** Reads a page for the mirror; work for the judge thread. */
export function judgedPage([bytes]: readonly Buffer[], asked: SnapshotAsked): JudgedPage {
  const body = bytes as Buffer
  const maxElements = maxElementsOf({ read: getAcsSnapshotAtV1, params: {} }, body.length)
  const json = tryParse(body, { maxElements })
  if (typeof json === 'string') return { kind: 'fault', fault: json }
  const page = readPage(json.value, asked)
  if (page.kind === 'fault') return page
  const { rows, next } = page
  const hashes = new Uint8Array(rows.length * hashBytes)
  rows.forEach((row, at) => void hashes.set(hash('sha256', textOf(row), 'buffer'), at * hashBytes))
  const others = rows.filter(({ entry }) => entry === undefined).length
  return {
    kind: 'page',
    rows: ownBytes(JSON.stringify(rows)),
    hashes,
    entries: rows.length - others,
    others,
    next,
  }
}

export interface JudgedSet {
  /** Whether the set has a row twice. */
  readonly isRepeated: boolean
  /** The SHA-256, in base64url, of the sorted SHA-256s of all rows. */
  readonly digest: string
}

/**
 * Makes the digest of a snapshot from the hashes of its rows; work for the judge thread. Pages may
 * divide and order the rows of a set in any way, so the hashes are sorted before they are hashed.
 */
export function judgedSet(pages: readonly Buffer[]): JudgedSet {
  const hashes: string[] = []
  for (const page of pages)
    for (let at = 0; at < page.length; at += hashBytes)
      hashes.push(page.toString('latin1', at, at + hashBytes))
  hashes.sort()
  const isRepeated = hashes.some((one, at) => one === hashes[at - 1])
  return { isRepeated, digest: digest(Buffer.from(hashes.join(''), 'latin1')) }
}

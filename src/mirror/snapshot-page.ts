import type { FaultKind } from '../quorum/reply.ts'
import { canonicalInstant } from '../reads/instant.ts'
import type { PageToken } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'
import { acsForms, type SnapshotContract, type SnapshotPage } from '../reads/snapshots.ts'
import { entryIn } from './mirrored-entry.ts'
import { ansEntryTemplate, templateOf } from './templates.ts'

export interface SnapshotAsked {
  readonly at: number
  readonly migrationId: number
  readonly dso: string
  /** The wanted templates, each as `package-name:Module:Entity`. */
  readonly templates: readonly string[]
  readonly pageSize: number
}

export type PageReading =
  | {
      readonly kind: 'page'
      readonly contracts: readonly SnapshotContract[]
      /** The scan's own token of the next page; undefined if this page is the last one. */
      readonly next: PageToken | undefined
    }
  | { readonly kind: 'fault'; readonly fault: Extract<FaultKind, 'misshapen' | 'wrong-answer'> }

/**
 * Checks that a page of `POST /v2/state/acs`, or of an older form, has only what was requested. A full page may have a
 * token although the next page is empty.
 * @param body parsed JSON. The caller must not use it afterwards, because the returned contracts
 * may share parts of it.
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
  if (!contracts.every(isReadable)) return misshapen
  return { kind: 'page', contracts, next: page.next_page_token ?? undefined }
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

function isReadable(contract: SnapshotContract): boolean {
  return templateOf(contract) !== ansEntryTemplate || entryIn(contract) !== undefined
}

const misshapen: PageReading = { kind: 'fault', fault: 'misshapen' }
const wrong: PageReading = { kind: 'fault', fault: 'wrong-answer' }

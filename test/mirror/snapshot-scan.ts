import type { Random } from '../../src/base/lib/random.ts'
import type { SnapshotContract } from '../../src/core/reads/snapshots.ts'
import type { ScanNode, ScanRequest, ScanResponse } from '../../src/core/scan/node.ts'
import { recordTimeOf } from '../../src/mirror/snapshot-page.ts'
import { ansEntry, otherDso, rulesOf } from './contracts.ts'
import { pick, shuffled } from './random.ts'

export const at = Date.UTC(2026, 2, 1, 12)
export const migrationId = 3

export const behaviours = [
  'honest',
  'has no snapshot yet',
  'drop',
  'add',
  'alter',
  'repeat a page',
  'endless tokens',
  'endless empty pages',
  'another instant',
  'another migration',
  'another DSO',
  'rows of another DSO',
  'another template',
  'too many',
  'too many rules',
  'longer pages',
  'large pages',
  'long runs',
  'no JSON',
  'silent',
] as const

export type Behaviour = (typeof behaviours)[number]
export const forgeries = behaviours.filter((each) => each !== 'honest' && each !== 'has no snapshot yet')

interface Page {
  readonly record_time: string
  readonly migration_id: number
  readonly created_events: readonly SnapshotContract[]
  readonly next_page_token: number | string | null
}

/** The forms of pages that a scan knows. */
export type KnownForms = readonly ('v1' | 'v2')[]

/**
 * A scan without sockets that serves a snapshot in pages. As with real scans, a page token of one scan means nothing to
 * another.
 */
export class SnapshotScan {
  readonly #behaviour: Behaviour
  readonly #rows: readonly SnapshotContract[]
  readonly #base: number
  readonly #padding: number
  asked = 0
  forms: KnownForms = ['v1', 'v2']

  constructor(behaviour: Behaviour, ledger: readonly SnapshotContract[], random: Random) {
    this.#behaviour = behaviour
    this.#base = 1_000 * Math.floor(random() * 1e6)
    this.#padding = pick(random, [1_000, 65_536, 70_000, 300_000])
    // Of imported contracts, each scan may name an update of its own.
    this.#rows = shuffled(random, forged(behaviour, ledger, random)).map((contract) => ({
      ...contract,
      created_in_update_id: `1220${String(this.#base).padStart(64, '0')}`,
    }))
  }

  node(url: string): ScanNode {
    return {
      url,
      ask: async (request) => this.#answer(request),
      isConnected: true,
      warm: () => {},
      [Symbol.asyncDispose]: async () => {},
    }
  }

  #answer({ path, body = '' }: ScanRequest): ScanResponse {
    this.asked++
    const form = path === '/api/scan/v2/state/acs' ? 'v2' : 'v1'
    if (!this.forms.includes(form)) return said(404, 'The requested resource could not be found.')
    if (this.#behaviour === 'silent') return { kind: 'fault', fault: 'unreachable', detail: '' }
    if (this.#behaviour === 'no JSON') return said(200, '{"record_time":')
    if (this.#behaviour === 'has no snapshot yet') {
      const error = `Failed to find ACS snapshot for migration id ${migrationId} at ${recordTimeOf(at)}`
      return said(404, JSON.stringify({ error }))
    }
    const { after, page_size: size } = JSON.parse(String(body)) as {
      readonly after?: number | string
      readonly page_size: number
    }
    if (after !== undefined && typeof after !== (form === 'v2' ? 'string' : 'number'))
      return said(400, JSON.stringify({ error: 'The page token is of another form.' }))
    const page = this.#page(
      after === undefined ? 0 : Number(String(after).slice(prefix[form].length)) - this.#base,
      size,
    )
    const { next_page_token: next } = page
    const token = next === null || form === 'v1' ? next : `${prefix.v2}${next}`
    const padding = this.#behaviour === 'large pages' ? 'x'.repeat(this.#padding) : undefined
    return said(200, JSON.stringify({ ...page, padding, next_page_token: token }))
  }

  #page(from: number, pageSize: number): Page {
    const size = this.#behaviour === 'longer pages' ? pageSize + 1 : pageSize
    const rows = this.#rows.slice(from, from + size)
    const isLast = from + size > this.#rows.length
    const page: Page = {
      record_time: recordTimeOf(at),
      migration_id: migrationId,
      created_events: rows,
      // As in Splice, every full page has a token, even if no row is left for a further page.
      next_page_token: isLast ? null : this.#base + from + size,
    }
    return { ...page, ...this.#misled(from, size) }
  }

  #misled(from: number, size: number): Partial<Page> {
    switch (this.#behaviour) {
      case 'repeat a page':
        return from === 0
          ? { next_page_token: this.#base + size }
          : { created_events: this.#rows.slice(0, size) }
      case 'endless tokens':
        return { next_page_token: this.#base + (from + size < this.#rows.length ? from + size : 0) }
      case 'endless empty pages':
        return from + size < this.#rows.length ? {} : { next_page_token: this.#base + from + size }
      case 'another instant':
        return { record_time: recordTimeOf(at - 3 * 3_600_000) }
      case 'another migration':
        return { migration_id: migrationId - 1 }
      default:
        return {}
    }
  }
}

const prefix = { v1: '', v2: 'opaque:' }

function said(status: number, text: string): ScanResponse {
  return { kind: 'response', status, body: Buffer.from(text), release: () => {} }
}

function forged(
  behaviour: Behaviour,
  ledger: readonly SnapshotContract[],
  random: Random,
): readonly SnapshotContract[] {
  const victim = pick(random, ledger)
  const others = ledger.filter((contract) => contract !== victim)
  const thief = ansEntry('mallory', { version: Math.floor(random() * 3) })
  switch (behaviour) {
    case 'drop':
      return others
    case 'add':
      return [...ledger, thief]
    case 'alter':
      return [...others, altered(victim, random)]
    case 'long runs':
      return [
        ...others,
        ansEntry(`mallory${pick(random, [...'/. @0<"'])}`.padEnd(pick(random, [5_000, 60_000]), '/')),
      ]
    case 'another DSO':
      return [ansEntry('mallory', { of: otherDso }), ...rulesOf(otherDso)]
    case 'rows of another DSO':
      return [...ledger, ansEntry('mallory', { of: otherDso })]
    case 'another template':
      return [...ledger, { ...thief, template_id: thief.template_id.replace('AnsEntry', 'AnsEntryContext') }]
    case 'too many':
      return [...ledger, ...Array.from({ length: 80 }, (_, index) => ansEntry(`extra-${index}`))]
    case 'too many rules':
      return [...ledger, ...Array.from({ length: 17 }, (_, copy) => copiedRules(copy)).flat()]
    default:
      return ledger
  }
}

function copiedRules(copy: number): readonly SnapshotContract[] {
  return rulesOf().map((contract) => ({ ...contract, contract_id: `${contract.contract_id}0${copy}` }))
}

/** Changes something that the mirror's answers are made of. */
function altered(contract: SnapshotContract, random: Random): SnapshotContract {
  const { contract_id: id, create_arguments: fields } = contract
  const eve = `eve::1220${'ee'.repeat(32)}`
  const changes =
    'svs' in fields
      ? [{ svs: [] }, { svs: [[eve, { name: 'eve' }]] }]
      : [{ user: eve }, { url: 'https://eve.example' }]
  const changed = { ...contract, create_arguments: { ...fields, ...pick<object>(random, changes) } }
  return random() < 0.3 ? { ...contract, contract_id: `${id}00` } : changed
}

import { parentPort } from 'node:worker_threads'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { reads } from '../../src/core/reads/table.ts'
import { gridAt } from '../../src/mirror/snapshot-grid.ts'
import { samples } from '../reads/samples.ts'
import { costlyBodies } from './costly-bodies.ts'
import { plainly, type Step } from './delivery.ts'
import { type Line, lineOf, RawScans } from './raw-scans.ts'

/**
 * Orders to the thread of the scans. The thread answers `listen` with the ports, and other orders with the number of
 * costly bodies that it has sent.
 */
export type CostlyOrder =
  | { readonly do: 'listen'; readonly scans: number }
  /**
   * For each read in `bodies`, the scans send the costly bodies with these labels in turn. They tell the truth about
   * the other reads.
   */
  | {
      readonly do: 'answer'
      readonly ports: readonly number[]
      readonly bodies: Readonly<Record<string, readonly string[]>>
      readonly names: number
      /** Whether the scans lie about the snapshot. */
      readonly lies: boolean
    }
  | { readonly do: 'count' }

/**
 * The lengths of costly bodies, as shares of the longest permitted length. A shorter body can cost more: the daemon may
 * reject the longest body early, because it has too many elements.
 */
const parts = [1, 0.3, 0.1] as const
/** Costly bodies are made before the first request, so that liars answer without delay. */
const kept = new Map<string, Buffer>()
const questions = new Map<Line, ReadId>(
  (Object.keys(reads) as ReadId[]).map((id) => [lineOf({ read: reads[id], params: samples[id].params }), id]),
)
const byName = /^GET \/api\/scan\/v0\/ans-entries\/by-name\/(\S+) $/
let answers: Omit<Extract<CostlyOrder, { do: 'answer' }>, 'do'> = {
  ports: [],
  bodies: {},
  names: 0,
  lies: false,
}
let sent = 0

const scans = new RawScans((nth, line) => {
  const acs = /^POST \/api\/scan\/v[12]\/state\/acs (.*)$/.exec(line)?.[1]
  if (acs?.includes('AnsEntry') === true) return answers.lies ? falsePage(nth, acs) : said(200, truePage(acs))
  const name = byName.exec(line)?.[1]
  const id = name === undefined ? (questions.get(line) ?? ofMirror(line)) : 'lookupAnsEntryByName'
  if (id === 'updates' && !answers.lies) return said(200, Buffer.from('{"transactions":[]}'))
  if (id === 'updates') return lie('getUpdateHistoryV2')
  if (id === 'head') return said(200, Buffer.from(answers.lies ? falseHead : JSON.stringify(head())))
  if (id === undefined) return said(404, Buffer.from('{"error":"Nothing here"}'))
  if (answers.bodies[id] !== undefined) return lie(id)
  return said(200, Buffer.from(JSON.stringify(truthOf(id, name))))
})

function lie(id: ReadId): readonly Step[] {
  const labels = answers.bodies[id] ?? []
  const label = labels[sent % labels.length] as string
  const part = parts[sent++ % parts.length] as number
  return said(200, costly(id, label, part))
}

function said(status: number, body: Buffer): readonly Step[] {
  return plainly({ status, bytes: body }).steps
}

function truthOf(id: ReadId, name: string | undefined): unknown {
  if (id === 'listDsoScans') return { scans: [{ domainId: synchronizer, scans: published() }] }
  if (id === 'getAmuletRules') return { amulet_rules_update: { contract: rules, domain_id: synchronizer } }
  if (name !== undefined) return { entry: entryOf(decodeURIComponent(name)) }
  return samples[id].reply
}

/** Finds out which of the mirror's own questions a line is. */
function ofMirror(line: string): 'updates' | 'head' | undefined {
  if (line.startsWith('POST /api/scan/v2/updates ')) return 'updates'
  return line.startsWith('POST /api/scan/v0/backfilling/migration-info ') ? 'head' : undefined
}

const { configSchedule } = samples.getAmuletRules.reply.amulet_rules_update.contract.payload
const synchronizer = configSchedule.initialValue.decentralizedSynchronizer.activeSynchronizer
const { contract: rulesOfSample } = samples.getAmuletRules.reply.amulet_rules_update
const initialValue = { ...configSchedule.initialValue, packageConfig: { amuletNameService: '0.1.23' } }
const rules = {
  ...rulesOfSample,
  payload: { ...rulesOfSample.payload, configSchedule: { ...configSchedule, initialValue } },
}

function head() {
  // No update follows the snapshot, so the ledger has come no further than that.
  const max = snapshotTime()
  return {
    record_time_range: [{ synchronizer_id: synchronizer, min: '2025-01-01T00:00:00Z', max }],
    complete: true,
  }
}

const falseHead = `{"record_time_range":[${'{},'.repeat(20_000)}{}],"complete":true}`
const dso = samples.getDsoPartyId.reply.dso_party_id

/** A scan with this many names in its snapshot gives them in pages, with tokens that are numbers of rows. */
function truePage(body: string): Buffer {
  const known = kept.get(body)
  if (known !== undefined) return known
  const user = `alice::1220${'c'.repeat(64)}`
  const bytes = page(body, answers.names, (row) => created(entryOf(nameOf(row)), user, row))
  kept.set(body, bytes)
  return bytes
}

/**
 * Each liar has a way of its own: as many names as may be kept, with the longest texts; many tiny values; lists of
 * parties; a page that never ends.
 */
function falsePage(nth: number, body: string): readonly Step[] {
  sent++
  switch (nth % 4) {
    case 0: {
      const user = `${'u'.repeat(180)}::1220${'c'.repeat(64)}`
      const longest = { url: `https://${'l'.repeat(240)}.x`, description: 'ü'.repeat(140) }
      const bytes = page(body, 1_000_000, (row) =>
        created({ ...entryOf(`${row}-${'n'.repeat(40)}`), ...longest }, user, row + 1e9),
      )
      return said(200, bytes)
    }
    case 1:
      return said(200, kept.get('values') as Buffer)
    case 2:
      return said(200, kept.get('parties') as Buffer)
    default: {
      // The scan hangs after a part of the head, or of the page.
      const whole = said(200, truePage(body))
      const bytes = Buffer.concat(whole.flatMap((step) => (step.do === 'write' ? [step.bytes] : [])))
      return [{ do: 'write', bytes: bytes.subarray(0, sent % 2 === 0 ? 40 : bytes.length / 2) }]
    }
  }
}

const longestPage = 4_194_304

function makeFalsePages(): void {
  const frame = (events: string) => {
    const rest = '"migration_id":1,"next_page_token":null'
    return Buffer.from(`{"record_time":"${snapshotTime()}","created_events":[${events}],${rest}}`)
  }
  kept.set('values', frame(`${'{},'.repeat(1_048_000)}{}`))
  const contract = created(entryOf('a'), `alice::1220${'c'.repeat(64)}`, 1)
  const signatories = `["${dso}"${`,""`.repeat(1_300_000)}]`
  kept.set(
    'parties',
    frame(
      JSON.stringify({ ...contract, signatories: '@' })
        .replace('"@"', signatories)
        .slice(0, longestPage),
    ),
  )
}

function snapshotTime(): string {
  return new Date(gridAt(Date.now())).toISOString().replace('.000Z', 'Z')
}

function page(body: string, rows: number, rowAt: (row: number) => object): Buffer {
  const { after = '0', page_size: size, record_time } = JSON.parse(body)
  const from = Number(after)
  const until = Math.min(rows, from + size)
  const created_events = Array.from({ length: until - from }, (_, nth) => rowAt(from + nth))
  const next_page_token = until < rows ? String(until) : null
  return Buffer.from(JSON.stringify({ record_time, migration_id: 1, created_events, next_page_token }))
}

function nameOf(row: number): string {
  return `name-${row}.unverified.cns`
}

function entryOf(name: string) {
  const { entry } = samples.lookupAnsEntryByName.reply
  return { ...entry, name, contract_id: `00${Buffer.from(name).toString('hex').slice(0, 128)}` }
}

function created(
  { name, url, description, expires_at, contract_id }: ReturnType<typeof entryOf>,
  user: string,
  row: number,
) {
  return {
    created_in_update_id: `1220${String(row).padStart(64, '0')}`,
    contract_id,
    template_id: `${'0'.repeat(64)}:Splice.Ans:AnsEntry`,
    package_name: 'splice-amulet-name-service',
    create_arguments: { dso, user, name, url, description, expiresAt: expires_at },
    created_at: '2026-01-01T00:00:00.12Z',
    signatories: [dso, user],
    observers: [],
  }
}

function published() {
  return answers.ports.map((port, nth) => ({
    publicUrl: `http://127.0.0.1:${port}`,
    svName: `sv-${String(nth + 1).padStart(2, '0')}`,
  }))
}

function costly(id: ReadId, label: string, part: number): Buffer {
  const key = `${id} ${part} ${label}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const body = costlyBodies(id)
    .find((candidate) => candidate.label === label)
    ?.make(Math.floor(reads[id].maxBytes * part))
  if (body === undefined) throw new Error(`no such body: ${key}`)
  kept.set(key, body)
  return body
}

parentPort?.on('message', async (order: CostlyOrder) => {
  if (order.do === 'listen') await scans.listen(order.scans)
  if (order.do === 'answer') {
    answers = order
    if (order.lies) makeFalsePages()
    for (const [id, labels] of Object.entries(order.bodies))
      for (const label of labels) for (const part of parts) costly(id as ReadId, label, part)
  }
  parentPort?.postMessage(order.do === 'listen' ? scans.ports : sent)
})

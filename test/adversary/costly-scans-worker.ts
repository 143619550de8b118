import { parentPort } from 'node:worker_threads'
import { bytes } from '../../src/lib/bytes.ts'
import { type ReadId, reads } from '../../src/reads/table.ts'
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
let answers: Pick<Extract<CostlyOrder, { do: 'answer' }>, 'ports' | 'bodies'> = { ports: [], bodies: {} }
let sent = 0

const scans = new RawScans((_, line) => {
  const name = byName.exec(line)?.[1]
  const id = name === undefined ? questions.get(line) : 'lookupAnsEntryByName'
  if (id === undefined) return said(404, Buffer.from('{"error":"Nothing here"}'))
  const labels = answers.bodies[id]
  if (labels !== undefined) {
    const label = labels[sent % labels.length] as string
    const part = parts[sent++ % parts.length] as number
    return said(200, costly(id, label, part))
  }
  return said(200, Buffer.from(JSON.stringify(truthOf(id, name))))
})

function said(status: number, body: Buffer): readonly Step[] {
  return plainly({ status, bytes: body }).steps
}

function truthOf(id: ReadId, name: string | undefined): unknown {
  if (id === 'listDsoScans') return { scans: [{ domainId: synchronizer, scans: published() }] }
  if (name === undefined) return samples[id].reply
  const { entry } = samples.lookupAnsEntryByName.reply
  return { entry: { ...entry, name: decodeURIComponent(name) } }
}

const { configSchedule } = samples.getAmuletRules.reply.amulet_rules_update.contract.payload
const synchronizer = configSchedule.initialValue.decentralizedSynchronizer.activeSynchronizer

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
    ?.make(Math.floor(bytes(reads[id].maxBytes) * part))
  if (body === undefined) throw new Error(`no such body: ${key}`)
  kept.set(key, body)
  return body
}

parentPort?.on('message', async (order: CostlyOrder) => {
  if (order.do === 'listen') await scans.listen(order.scans)
  if (order.do === 'answer') {
    answers = order
    for (const [id, labels] of Object.entries(order.bodies))
      for (const label of labels) for (const part of parts) costly(id as ReadId, label, part)
  }
  parentPort?.postMessage(order.do === 'listen' ? scans.ports : sent)
})

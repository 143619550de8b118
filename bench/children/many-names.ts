import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '../../src/base/lib/clock.ts'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { serveParent } from '../child.ts'

/** The numbers of scans, names and updates that a child process serves. */
export interface ManyNames {
  readonly superValidators: number
  readonly names: number
  /** The number of new updates in each second, from the start of the child on; none by default. */
  readonly updatesPerSecond?: number
}

/** The approximate size of an update, in bytes. */
const updateBytes = 12_288
const hourMs = 3_600_000

let shiftMs = 0
const clock: Clock = { ...systemClock, wall: () => systemClock.wall() - shiftMs }
let localnet: WorldLocalnet | undefined
let urls: readonly string[] = []

serveParent({
  /**
   * Starts the scans. Meanwhile the clock is four hours slow, so the names are older than the latest snapshot, and the
   * snapshot contains them.
   */
  async start({ superValidators, names, updatesPerSecond }: ManyNames) {
    shiftMs = 4 * hourMs
    localnet = await startLocalnet({ superValidators }, { clock })
    const user = localnet.superValidators[0]?.party ?? ''
    const expiresAt = systemClock.wall() + 1_000 * hourMs
    for (let id = 0; id < names; id++) localnet.world.put({ name: nameOf(id), user, expiresAt })
    shiftMs = 0
    const nodes = localnet.superValidators.map(({ url }) => url)
    urls =
      updatesPerSecond === undefined
        ? nodes
        : await Promise.all(nodes.map((url) => busy(url, updatesPerSecond)))
  },
  urls: () => urls,
  dso: async () => {
    const answer = await fetch(`${urls[0]}/api/scan/v0/dso-party-id`)
    return ((await answer.json()) as { readonly dso_party_id: string }).dso_party_id
  },
  names: (count: number) => Array.from({ length: count }, (_, id) => nameOf(id)),
  lookups: () => asksOf('by-name'),
  snapshotPages: () => asksOf('acs'),
  delay: async (ms: number) => {
    for (const { name } of localnet?.superValidators ?? [])
      await localnet?.setFault(name, { kind: 'delay', ms })
  },
})

function nameOf(id: number): string {
  return `name-${id}.unverified.cns`
}

function asksOf(read: Parameters<WorldLocalnet['asks']>[1]): number {
  return (localnet?.superValidators ?? []).reduce(
    (sum, { name }) => sum + (localnet?.asks(name, read) ?? 0),
    0,
  )
}

/**
 * Opens a server in front of a node. The server itself answers requests for updates, with updates that it makes up. It
 * passes all other requests on to the node.
 */
async function busy(node: string, updatesPerSecond: number): Promise<string> {
  const server = createServer((request, response) => {
    const answer = request.url?.endsWith('/v2/updates') ? updatesFor : passedOn(node)
    void answer(request, response, updatesPerSecond)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const began = Math.floor(Date.now() / 1_000) * 1_000
const filler = 'x'.repeat(updateBytes - 600)

async function updatesFor(
  request: IncomingMessage,
  response: ServerResponse,
  perSecond: number,
): Promise<void> {
  const { after, page_size: most } = JSON.parse(await bodyOf(request))
  const first = Math.max(
    0,
    Math.floor(((Date.parse(after.after_record_time) - began) * perSecond) / 1_000) + 1,
  )
  const end = Math.floor(((Date.now() - began) * perSecond) / 1_000)
  const count = Math.max(0, Math.min(most, end - first))
  const transactions = Array.from({ length: count }, (_, index) => updateOf(first + index, perSecond))
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ transactions }))
}

function updateOf(number: number, perSecond: number) {
  const update_id = `1220${String(number).padStart(60, '0')}`
  const time = new Date(began + (number * 1_000) / perSecond).toISOString()
  const event = {
    event_type: 'exercised_event',
    event_id: `${update_id}:0`,
    contract_id: `00${number}`,
    template_id: `${'ab'.repeat(32)}:Splice.Amulet:Amulet`,
    package_name: 'splice-amulet',
    choice: 'Transfer',
    choice_argument: { filler },
    child_event_ids: [],
    exercise_result: {},
    consuming: true,
    acting_parties: [],
    interface_id: null,
  }
  return {
    update_id,
    migration_id: 0,
    workflow_id: '',
    record_time: time,
    synchronizer_id: 'global::1220',
    effective_at: time,
    root_event_ids: [event.event_id],
    events_by_id: { [event.event_id]: event },
  }
}

function passedOn(node: string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = request
    const body = method === 'GET' ? null : await bodyOf(request)
    const answer = await fetch(node + url, { method, body, headers: { 'content-type': 'application/json' } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString()
}

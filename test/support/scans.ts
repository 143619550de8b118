import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { freePort } from './free-port.ts'

/** A scan in the form in which `/v0/scans` lists it. */
export interface Published {
  readonly svName: string
  readonly publicUrl: string
}

export interface Said {
  readonly dso: string
  readonly synchronizer: string
  readonly scans: readonly Published[]
  readonly description: string
  readonly updates: readonly object[]
  readonly refuses: { readonly status: number; readonly error: string } | undefined
  readonly hangs: boolean
  /** What `/version` says in its member `version`. */
  readonly version: unknown
  /** A part of the paths that the scan does not know. */
  readonly lacks: string | undefined
  /** The base path. The scan knows no other path. */
  readonly prefix: string
}

/**
 * Simple scans, for rosters that a localnet cannot have. All give equal answers until a test changes the answers of one
 * scan.
 */
export class Scans implements AsyncDisposable {
  readonly nodes: readonly Scan[]

  private constructor(nodes: readonly Scan[]) {
    this.nodes = nodes
  }

  static async listen(...svNames: readonly string[]): Promise<Scans> {
    const nodes = await Promise.all(svNames.map((svName) => Scan.listen(svName)))
    const scans = new Scans(nodes)
    scans.say({ scans: scans.published })
    return scans
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ url }) => url)
  }

  get published(): readonly Published[] {
    return this.nodes.map(({ svName, url }) => ({ svName, publicUrl: url }))
  }

  say(said: Partial<Said>): void {
    for (const node of this.nodes) node.say(said)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map((node) => node[Symbol.asyncDispose]()))
  }
}

/** Keeps its port when it is stopped and started again. */
export class Scan implements AsyncDisposable {
  readonly svName: string
  readonly asked: string[] = []
  readonly traceParents: (string | undefined)[] = []
  readonly #server: Server
  #port = 0
  #said: Said = {
    dso: 'DSO::1220d5',
    synchronizer: 'global-domain::1220aa',
    scans: [],
    description: '',
    updates: [],
    refuses: undefined,
    hangs: false,
    version: '0.7.5',
    lacks: undefined,
    prefix: '',
  }

  private constructor(svName: string) {
    this.svName = svName
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '')
      this.traceParents.push(request.headers['traceparent']?.toString())
      const { refuses, hangs, prefix, lacks } = this.#said
      if (hangs) return
      if (lacks !== undefined && request.url?.includes(lacks)) {
        response.writeHead(404, { 'content-type': 'text/plain' })
        response.end('The requested resource could not be found.')
        return
      }
      if (request.url?.startsWith(`${prefix}/api/`) !== true) {
        response.writeHead(404).end('<html>')
        return
      }
      const body = refuses === undefined ? this.#answer(request) : { error: refuses.error }
      response.writeHead(refuses?.status ?? 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  }

  static async listen(svName: string): Promise<Scan> {
    const scan = new Scan(svName)
    await scan.start()
    return scan
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  say(said: Partial<Said>): void {
    this.#said = { ...this.#said, ...said }
  }

  count(part: string): number {
    return this.asked.filter((path) => path.includes(part)).length
  }

  async start(): Promise<void> {
    this.#port ||= await freePort()
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #answer(request: IncomingMessage): unknown {
    const { dso, synchronizer, scans, description, updates, prefix, version } = this.#said
    const url = request.url?.slice(prefix.length) ?? ''
    if (url === '/api/scan/v0/dso-party-id') return { dso_party_id: dso }
    if (url === '/api/scan/v0/scans') return { scans: [{ domainId: synchronizer, scans }] }
    if (url === '/api/scan/v0/amulet-rules') return { amulet_rules_update: rules(synchronizer) }
    if (url === '/api/scan/v2/updates') return { transactions: updates }
    const name = /^\/api\/scan\/v0\/ans-entries\/by-name\/(.*)$/.exec(url)?.[1]
    if (name === undefined) return { version, commit_ts: '2026-08-20T09:12:44Z' }
    const entry = { contract_id: null, user: dso, name: decodeURIComponent(name), url: '', description }
    return { entry: { ...entry, expires_at: null } }
  }
}

function rules(synchronizer: string) {
  const decentralizedSynchronizer = { activeSynchronizer: synchronizer }
  const contract = {
    template_id: 'ab:Splice.AmuletRules:AmuletRules',
    contract_id: '00ab',
    payload: { configSchedule: { initialValue: { decentralizedSynchronizer } } },
    created_event_blob: '',
    created_at: '2026-01-01T00:00:00Z',
  }
  return { contract, domain_id: synchronizer }
}

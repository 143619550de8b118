import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { ServerWebSocket } from './websocket-server.ts'

// A participant's JSON Ledger API as facts of Canton have it, on real sockets, with faults. Nothing here is of `src/`:
// what talks to it is tested against another reading of the same facts.

// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON of any shape
type Json = any

/** What happens in place of, or to, what would be answered over HTTP. */
export type HttpFault =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string; readonly type?: string }
  | { readonly kind: 'reset' | 'hang' | 'half' | 'huge' }
  /** The command is done, but its answer is lost. */
  | { readonly kind: 'done-then'; readonly then: HttpFault }
  | { readonly kind: 'body'; readonly change: (body: Json) => Json }
  | { readonly kind: 'text'; readonly text: string }

/** What happens on a websocket after so many frames. */
export interface SocketFault {
  readonly after: number
  readonly act: (socket: ServerWebSocket) => void
}

export interface FakeOptions {
  readonly version?: '3.4' | '3.5' | '3.6'
  /** `http-list-max-elements-limit` */
  readonly mostListed?: number
  readonly prefix?: string
  /** It speaks TLS; PEM. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

interface Account {
  readonly id: string
  readonly primaryParty: string
}

interface Contract {
  readonly created: Json
  readonly parties: readonly string[]
  readonly createdAt: number
  archivedAt: number | undefined
}

interface Entry {
  readonly offset: number
  readonly updateId: string
  readonly commandId: string
  readonly parties: readonly string[]
  readonly events: readonly Json[]
}

interface Stream {
  readonly path: string
  readonly socket: ServerWebSocket
  readonly request: Json
  sent: number
  next: number
  fault: SocketFault | undefined
}

const synchronizer = `global-domain::1220${'5'.repeat(64)}`
const packages: Readonly<Record<string, { id: string; name: string }>> = {
  'Splice.Ans': { id: 'a'.repeat(64), name: 'splice-amulet-name-service' },
  'Splice.Wallet.Subscriptions': { id: 'b'.repeat(64), name: 'splice-wallet-payments' },
}

export class FakeParticipant implements AsyncDisposable {
  readonly requests: {
    readonly method: string
    readonly path: string
    readonly token: string | undefined
    readonly body: Json
  }[] = []
  readonly streams: Stream[] = []
  readonly version: string
  pruned = 0
  /** What commands are refused with. */
  refusal: { readonly status: number; readonly error: Json } | undefined
  readonly #server: Server
  readonly #mostListed: number
  readonly #prefix: string
  readonly #isSecure: boolean
  /** Of transactions that were signed outside, by offset; hex. */
  readonly #hashes = new Map<number, string>()
  readonly #accounts = new Map<string, Account>()
  readonly #entries: Entry[] = []
  readonly #contracts = new Map<string, Contract>()
  readonly #commands = new Map<string, number>()
  readonly #faults: { readonly path: string; readonly fault: HttpFault; times: number }[] = []
  readonly #socketFaults: { readonly path: string; readonly fault: SocketFault | number }[] = []
  readonly #sockets = new Set<Socket>()
  readonly #watchers = new Set<() => void>()
  #end = 0
  #port = 0

  private constructor({ version = '3.6', mostListed = 200, prefix = '', tls }: FakeOptions) {
    this.version = version
    this.#mostListed = mostListed
    this.#prefix = prefix
    this.#isSecure = tls !== undefined
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response)
    this.#server = tls === undefined ? createServer(serve) : createSecureServer(tls, serve)
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        this.#look()
      })
    })
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket as Socket, head))
  }

  static async listen(options: FakeOptions = {}): Promise<FakeParticipant> {
    const fake = new FakeParticipant(options)
    await fake.start()
    return fake
  }

  get url(): string {
    return `${this.#isSecure ? 'https' : 'http'}://127.0.0.1:${this.#port}${this.#prefix}`
  }

  get end(): number {
    return this.#end
  }

  /** Connections open now. */
  get open(): number {
    return this.#sockets.size
  }

  /** Listens, at the same port as before. */
  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Dies: every connection is cut, none is taken. What it knows is kept. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.stop()
  }

  /** A user with a token and a party. */
  user(token: string, id: string, primaryParty = `${id}::1220${'c'.repeat(64)}`): string {
    this.#accounts.set(token, { id, primaryParty })
    return primaryParty
  }

  forget(token: string): void {
    this.#accounts.delete(token)
  }

  /** The next answers at this path are of this kind. */
  fail(path: string, fault: HttpFault, times = 1): void {
    this.#faults.push({ path, fault, times })
  }

  /** Nothing that was set is to fail any more. */
  heal(): void {
    this.#faults.length = 0
  }

  /** The next websocket at this path has this fault, or its handshake is refused with this status. */
  failSocket(path: string, fault: SocketFault | number): void {
    this.#socketFaults.push({ path, fault })
  }

  /** Resolves once the condition holds; it is looked at whenever something comes or goes. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
      look()
    })
  }

  asked(path: string): number {
    return this.requests.filter((request) => request.path.split('?')[0] === path).length
  }

  /** So many transactions that a party sees, each creating a contract. */
  grow(party: string, count: number, text = ''): void {
    for (let index = 0; index < count; index++) {
      this.create('Splice.Ans:AnsEntry', [party], {
        user: party,
        dso: party,
        name: `name-${this.#end + 1}.unverified.cns`,
        url: '',
        description: text,
        expiresAt: '2036-01-01T00:00:00Z',
      })
    }
  }

  /** From now on a transaction has a hash, as one that was signed outside: base64. */
  sign(offset: number): string {
    const hex = hash('sha256', this.updateIdAt(offset), 'hex')
    this.#hashes.set(offset, hex)
    return Buffer.from(hex, 'hex').toString('base64')
  }

  /** Offsets that nobody here sees. */
  skip(count: number): void {
    this.#end += count
  }

  /** A contract in a transaction of its own: its id. */
  create(template: string, parties: readonly string[], argument: Json): string {
    const offset = this.#end + 1
    const created = this.#created(template, parties, argument, offset, 0)
    this.#commit('', parties, [{ CreatedEvent: created }])
    return created.contractId
  }

  archive(contractId: string): void {
    const contract = this.#contracts.get(contractId)
    if (contract === undefined) throw new Error('no such contract')
    this.#commit('', contract.parties, [])
    contract.archivedAt = this.#end
  }

  /** Tells every open stream how far the ledger is. */
  checkpoint(): void {
    for (const stream of this.streams) {
      if (stream.path !== '/v2/updates' || stream.request.endInclusive) continue
      const value = { offset: this.#end, synchronizerTimes: [] }
      this.#send(stream, JSON.stringify({ update: { OffsetCheckpoint: { value } } }))
    }
  }

  updateIdAt(offset: number): string {
    return `1220${offset.toString(16).padStart(64, '0')}`
  }

  #created(
    template: string,
    parties: readonly string[],
    argument: Json,
    offset: number,
    nodeId: number,
  ): Json {
    const [module = ''] = template.split(':')
    const { id, name } = packages[module] ?? { id: 'f'.repeat(64), name: 'other' }
    const contractId = `00${(offset * 10 + nodeId).toString(16).padStart(64, '0')}`
    const created = {
      offset,
      nodeId,
      contractId,
      templateId: `${id}:${template}`,
      contractKey: null,
      ...(this.version !== '3.4' && { contractKeyHash: '' }),
      createArgument: argument,
      createdEventBlob: '',
      interfaceViews: [],
      witnessParties: parties,
      signatories: parties,
      observers: [],
      createdAt: '2026-01-01T00:00:00.123456Z',
      packageName: name,
      representativePackageId: id,
      acsDelta: true,
    }
    this.#contracts.set(contractId, { created, parties, createdAt: offset, archivedAt: undefined })
    return created
  }

  #commit(commandId: string, parties: readonly string[], events: readonly Json[]): Entry {
    const offset = ++this.#end
    const entry = { offset, updateId: this.updateIdAt(offset), commandId, parties, events }
    this.#entries.push(entry)
    for (const stream of this.streams) this.#flow(stream)
    return entry
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', url = '' } = request
    const path = url.slice(this.#prefix.length)
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const body = text === '' ? undefined : JSON.parse(text)
    this.requests.push({ method, path, token, body })
    this.#look()
    const fault = this.#faultAt(path.split('?')[0] ?? '')
    this.#answer(response, fault, () => this.#judge(method, path, token, body))
  }

  #faultAt(path: string): HttpFault | undefined {
    const index = this.#faults.findIndex((fault) => fault.path === path)
    const found = this.#faults[index]
    if (found === undefined) return undefined
    if (--found.times === 0) this.#faults.splice(index, 1)
    return found.fault
  }

  #answer(response: ServerResponse, fault: HttpFault | undefined, judge: () => [number, Json]): void {
    switch (fault?.kind) {
      case 'status': {
        response.writeHead(fault.status, { 'content-type': fault.type ?? 'text/plain; charset=UTF-8' })
        response.end(fault.body ?? 'out of order')
        return
      }
      case 'reset':
        response.socket?.resetAndDestroy()
        return
      case 'hang':
        return
      case 'huge':
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('[')
        pour(response, Buffer.alloc(65_536, ' '))
        return
      case 'done-then':
        judge()
        this.#answer(response, fault.then, judge)
        return
      case 'text':
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(fault.text)
        return
    }
    const [status, body] = judge()
    const changed = fault?.kind === 'body' ? fault.change(body) : body
    const plain = typeof changed === 'string'
    const text = plain ? changed : JSON.stringify(changed)
    const type = plain ? 'text/plain; charset=UTF-8' : 'application/json'
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
    if (fault?.kind === 'half') {
      response.write(text.slice(0, text.length / 2))
      response.socket?.end()
    } else response.end(text)
  }

  #judge(method: string, target: string, token: string | undefined, body: Json): [number, Json] {
    const [path = '', query = ''] = target.split('?')
    if (path === '/v2/version') return [200, this.#versionAnswer()]
    const account = token === undefined ? undefined : this.#accounts.get(token)
    if (account === undefined) return [401, redacted(16)]
    const limit = Number(new URLSearchParams(query).get('limit') ?? this.#mostListed + 1)
    switch (`${method} ${path}`) {
      case 'GET /v2/state/ledger-end':
        return [200, this.#ledgerEnd()]
      case 'GET /v2/state/latest-pruned-offsets':
        return [
          200,
          {
            participantPrunedUpToInclusive: this.pruned,
            allDivulgedContractsPrunedUpToInclusive: this.pruned,
          },
        ]
      case 'GET /v2/authenticated-user':
        return [200, { user: { ...account, isDeactivated: false, identityProviderId: '' } }]
      case 'POST /v2/updates':
        return this.#list(body, limit)
      case 'POST /v2/updates/update-by-offset':
        return this.#lookup(body, (entry) => entry.offset === body.offset, ['OFFSET', String(body.offset)])
      case 'POST /v2/updates/update-by-id':
        return this.#lookup(body, (entry) => entry.updateId === body.updateId, ['UPDATE_ID', body.updateId])
      case 'POST /v2/updates/update-by-hash': {
        if (this.version !== '3.6') break
        const hex = Buffer.from(body.transactionHash, 'base64').toString('hex')
        return this.#lookup(body, ({ offset }) => this.#hashes.get(offset) === hex, ['TRANSACTION_HASH', hex])
      }
      case 'POST /v2/events/events-by-contract-id':
        return this.#events(body)
      case 'POST /v2/commands/submit-and-wait-for-transaction':
        return this.#submit(body, account)
      case 'POST /v2/updates/get-updates-page':
        if (this.version !== '3.4') return this.#page(body)
    }
    return [404, { errors: [`[${method} ${target}]`], status: 404, ledgerApiError: null }]
  }

  #versionAnswer(): Json {
    const supported = { supported: true }
    return {
      version: `${this.version}.7`,
      features: {
        experimental: { staticTime: { supported: false }, commandInspectionService: supported },
        userManagement: { ...supported, maxRightsPerUser: 1000, maxUsersPageSize: 1000 },
        partyManagement: { maxPartiesPageSize: 10_000 },
        offsetCheckpoint: {
          maxOffsetCheckpointEmissionDelay: { seconds: 75, nanos: 0, unknownFields: { fields: {} } },
        },
        packageFeature: { maxVettedPackagesPageSize: 100 },
      },
    }
  }

  #ledgerEnd(): Json {
    if (this.version !== '3.6') return { offset: this.#end }
    const recordTime = '2026-01-01T00:00:00Z'
    return { offset: this.#end, synchronizerTimes: [{ synchronizerId: synchronizer, recordTime }] }
  }

  /** What is wrong with a range; facts 1.1, checks 8 to 20. */
  #rangeProblem({ beginExclusive, endInclusive }: Json): [number, Json] | undefined {
    if (beginExclusive > this.#end || endInclusive > this.#end)
      return [400, this.#error('OFFSET_AFTER_LEDGER_END', 12, 11)]
    if (endInclusive !== undefined && beginExclusive > endInclusive)
      return [400, this.#error('OFFSET_OUT_OF_RANGE', 9, 9)]
    if (beginExclusive < this.pruned) {
      const context = { earliest_offset: String(this.pruned) }
      return [400, this.#error('PARTICIPANT_PRUNED_DATA_ACCESSED', 9, 9, { context })]
    }
    return undefined
  }

  #list(body: Json, limit: number): [number, Json] {
    const problem = this.#rangeProblem(body)
    if (problem !== undefined) return problem
    const all = this.#visible(body.updateFormat).filter(
      ({ offset }) => offset > body.beginExclusive && offset <= (body.endInclusive ?? this.#end),
    )
    if (body.descendingOrder && this.version !== '3.4') all.reverse()
    const most = Math.min(limit, this.#mostListed + 1)
    const taken = all.slice(0, most)
    if (taken.length > this.#mostListed) {
      return [413, this.#error('JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED', 2, 10)]
    }
    return [200, taken.map((entry) => this.#update(entry, body.updateFormat))]
  }

  #page(body: Json): [number, Json] {
    const { updateFormat, maxPageSize = 100, descendingOrder = false } = body
    const token = body.pageToken === undefined ? undefined : JSON.parse(atob(body.pageToken))
    const begin = token?.begin ?? body.beginOffsetExclusive ?? 0
    const end = token?.end ?? body.endOffsetInclusive ?? this.#end
    const all = this.#visible(updateFormat).filter(({ offset }) => offset > begin && offset <= end)
    if (descendingOrder) all.reverse()
    const page = all.slice(0, maxPageSize)
    const next = all[maxPageSize]?.offset
    const nextToken = (bounds: object) => btoa(JSON.stringify(bounds))
    const bounds = descendingOrder
      ? { lowest: next ?? begin, highest: end, token: next && nextToken({ begin, end: next }) }
      : { lowest: begin, highest: next ? next - 1 : end, token: next && nextToken({ begin: next - 1, end }) }
    return [
      200,
      {
        updates: page.map((entry) => this.#update(entry, updateFormat)),
        lowestPageOffsetExclusive: bounds.lowest,
        highestPageOffsetInclusive: bounds.highest,
        nextPageToken: bounds.token ?? null,
      },
    ]
  }

  #lookup(body: Json, is: (entry: Entry) => boolean, resource: [string, string]): [number, Json] {
    const entry = this.#visible(body.updateFormat).find(is)
    if (entry !== undefined) return [200, this.#update(entry, body.updateFormat)]
    return [404, this.#error('UPDATE_NOT_FOUND', 11, 5, { resources: [resource] })]
  }

  #events({ contractId, eventFormat }: Json): [number, Json] {
    const contract = this.#contracts.get(contractId)
    const parties = Object.keys(eventFormat.filtersByParty)
    if (contract === undefined || !contract.parties.some((party) => parties.includes(party)))
      return [404, this.#error('CONTRACT_EVENTS_NOT_FOUND', 11, 5)]
    const archived =
      contract.archivedAt === undefined
        ? null
        : { archivedEvent: { offset: contract.archivedAt }, synchronizerId: synchronizer }
    return [200, { created: { createdEvent: contract.created, synchronizerId: synchronizer }, archived }]
  }

  #submit({ commands: given, transactionFormat }: Json, { id }: Account): [number, Json] {
    if (this.refusal !== undefined) return [this.refusal.status, this.refusal.error]
    const key = JSON.stringify([id, given.actAs.toSorted(), given.commandId])
    const before = this.#commands.get(key)
    const since = given.deduplicationPeriod?.DeduplicationOffset?.value ?? 0
    if (before !== undefined && before > since) {
      const context = { existing_submission_id: 'one-before', definite_answer: 'false' }
      return [409, this.#error('DUPLICATE_COMMAND', 10, 6, { context })]
    }
    const [{ ExerciseCommand: command }] = given.commands
    const { contractId, choice, choiceArgument, templateId } = command
    const shown = given.disclosedContracts.find((each: Json) => each.contractId === contractId)
    if (shown === undefined) {
      const resources = [['CONTRACT_ID', contractId]] as const
      return [404, this.#error('CONTRACT_NOT_FOUND', 11, 5, { resources })]
    }
    if (
      templateId !== '#splice-amulet-name-service:Splice.Ans:AnsRules' ||
      choice !== 'AnsRules_RequestEntry'
    )
      return [400, 'Invalid value for: body (a choice that nobody knows)']
    const [user] = given.actAs
    const offset = this.#end + 1
    const request = this.#created(
      'Splice.Wallet.Subscriptions:SubscriptionRequest',
      [user],
      requestOf(user),
      offset,
      1,
    )
    const reference = request.contractId
    const context = this.#created(
      'Splice.Ans:AnsEntryContext',
      [user],
      { dso: user, ...choiceArgument, reference },
      offset,
      2,
    )
    const exercised = {
      offset,
      nodeId: 0,
      contractId,
      templateId: `${'a'.repeat(64)}:Splice.Ans:AnsRules`,
      interfaceId: null,
      choice,
      choiceArgument,
      actingParties: given.actAs,
      consuming: false,
      witnessParties: given.actAs,
      lastDescendantNodeId: 2,
      exerciseResult: { entryCid: context.contractId, requestCid: reference },
      packageName: 'splice-amulet-name-service',
      implementedInterfaces: [],
      acsDelta: false,
    }
    const events = [{ ExercisedEvent: exercised }, { CreatedEvent: request }, { CreatedEvent: context }]
    const entry = this.#commit(given.commandId, given.actAs, events)
    this.#commands.set(key, entry.offset)
    const shape = transactionFormat?.transactionShape
    return [200, { transaction: this.#transaction(entry, shape) }]
  }

  #visible(format: Json): Entry[] {
    const events = format.includeTransactions?.eventFormat
    const parties = Object.keys(events?.filtersByParty ?? {})
    return this.#entries.filter((entry) => parties.some((party) => entry.parties.includes(party)))
  }

  #update(entry: Entry, format: Json): Json {
    const value = this.#transaction(entry, format.includeTransactions?.transactionShape)
    return { update: { Transaction: { value } } }
  }

  #transaction({ offset, updateId, commandId, events }: Entry, shape: string): Json {
    const later = { ...(this.version !== '3.4' && { paidTrafficCost: null }) }
    const transactionHash = this.#hashes.get(offset) ?? null
    const latest = { ...(this.version === '3.6' && { transactionHash }) }
    return {
      updateId,
      commandId,
      workflowId: '',
      effectiveAt: '2026-01-01T00:00:00.123456Z',
      events:
        shape === 'TRANSACTION_SHAPE_LEDGER_EFFECTS' ? events : events.filter((each) => !each.ExercisedEvent),
      offset,
      synchronizerId: synchronizer,
      traceContext: null,
      recordTime: '2026-01-01T00:00:00.123456Z',
      externalTransactionHash: null,
      ...later,
      ...latest,
    }
  }

  #error(code: string, errorCategory: number, grpcCodeValue: number, more: Json = {}): Json {
    const { resources = [], ...rest } = more
    const named = (type: string) => (this.version === '3.6' ? type : `ErrorResource(${type})`)
    return {
      code,
      cause: `the participant says ${code}`,
      correlationId: null,
      traceId: '99e67812af315256ef9a02a9fdb94646',
      context: {},
      resources: resources.map(([type, value]: [string, string]) => [named(type), value]),
      errorCategory,
      grpcCodeValue,
      retryInfo: null,
      definiteAnswer: null,
      ...rest,
    }
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const path = (request.url ?? '').slice(this.#prefix.length)
    const index = this.#socketFaults.findIndex((each) => each.path === path)
    const [found] = index === -1 ? [] : this.#socketFaults.splice(index, 1)
    if (typeof found?.fault === 'number') {
      socket.end(`HTTP/1.1 ${found.fault} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
      return
    }
    const fault = found?.fault
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const ws = ServerWebSocket.accept(request, socket, head, 'daml.ws.auth', (text) => {
      const asked = JSON.parse(text)
      const next = path === '/v2/updates' ? asked.beginExclusive : 0
      const stream: Stream = { path, socket: ws, request: asked, sent: 0, next, fault }
      this.streams.push(stream)
      socket.on('close', () => this.#look())
      this.#begin(stream, token)
      this.#look()
    })
  }

  #begin(stream: Stream, token: string): void {
    const { request, path } = stream
    const refuse = (error: Json) => {
      stream.socket.text(JSON.stringify(error))
      stream.socket.close()
    }
    if (!this.#accounts.has(token)) return refuse(redacted(16))
    const problem = path === '/v2/updates' ? this.#rangeProblem(request) : undefined
    if (problem !== undefined) return refuse(problem[1])
    if (path === '/v2/updates') return this.#flow(stream)
    for (const [index, contract] of this.#activeAt(request).entries()) {
      const streamContinuationToken = this.version === '3.4' ? undefined : btoa(String(index + 1))
      if (index < Number(atob(request.streamContinuationToken ?? btoa('0')))) continue
      const contractEntry = {
        JsActiveContract: {
          createdEvent: contract.created,
          synchronizerId: synchronizer,
          reassignmentCounter: 0,
        },
      }
      this.#send(stream, JSON.stringify({ workflowId: '', contractEntry, streamContinuationToken }))
    }
    if (!stream.socket.socket.writableEnded && !stream.socket.socket.destroyed) stream.socket.close()
  }

  #activeAt({ activeAtOffset, eventFormat }: Json): Contract[] {
    return [...this.#contracts.values()].filter(({ created, parties, createdAt, archivedAt }) => {
      if (createdAt > activeAtOffset || (archivedAt !== undefined && archivedAt <= activeAtOffset))
        return false
      return parties.some((party) => {
        const filters = eventFormat.filtersByParty[party]?.cumulative
        if (filters === undefined || filters.length === 0) return filters !== undefined
        return filters.some(({ identifierFilter }: Json) => {
          const wanted = identifierFilter.TemplateFilter?.value.templateId
          const entity = created.templateId.slice(created.templateId.indexOf(':'))
          return wanted === undefined || wanted === `#${created.packageName}${entity}`
        })
      })
    })
  }

  #flow(stream: Stream): void {
    if (stream.path !== '/v2/updates') return
    for (const entry of this.#visible(stream.request.updateFormat)) {
      if (entry.offset <= stream.next) continue
      stream.next = entry.offset
      this.#send(stream, JSON.stringify(this.#update(entry, stream.request.updateFormat)))
    }
  }

  #send(stream: Stream, text: string): void {
    const { socket, fault } = stream
    if (socket.socket.writableEnded || socket.socket.destroyed) return
    if (fault !== undefined && stream.sent >= fault.after) {
      stream.fault = undefined
      fault.act(socket)
      if (socket.socket.writableEnded || socket.socket.destroyed) return
    }
    stream.sent++
    socket.text(text)
  }

  #look(): void {
    for (const look of this.#watchers) look()
  }
}

function redacted(grpcCodeValue: number): Json {
  return {
    code: 'NA',
    cause: 'A security-sensitive error has been received',
    correlationId: null,
    traceId: '5f3b6c0d9a1e4b7c8d2f00112233aabb',
    context: {},
    resources: [],
    errorCategory: -1,
    grpcCodeValue,
    retryInfo: null,
    definiteAnswer: null,
  }
}

function requestOf(user: string): Json {
  const lifetime = { microseconds: '7776000000000' }
  return {
    subscriptionData: { sender: user, receiver: user, provider: user, dso: user, description: '' },
    payData: {
      paymentAmount: { amount: '1.0000000000', unit: 'USDUnit' },
      paymentInterval: lifetime,
      paymentDuration: lifetime,
    },
  }
}

/** Writes a piece again and again, as fast as it is read. */
function pour(response: ServerResponse, piece: Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(piece)) {}
  }
  response.on('drain', more)
  more()
}

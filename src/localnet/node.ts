import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bytesOf } from '../base/lib/body-bytes.ts'
import type { Ask, Effects, PreparedFault } from './faults/fault.ts'
import type { NodeContext, RunningRelease } from './node-context.ts'
import { matchRead, type ReadId, unknownRead } from './reads.ts'
import { type ReleaseName, releases, usualRelease } from './releases.ts'
import { type Reply, textReply, unexpectedError } from './reply.ts'
import { RequestLog } from './request-log.ts'
import { parseTarget } from './target.ts'
import { sendWhole } from './wire.ts'
import { type Micros, microsOf } from './world/contract.ts'
import { usualTraits } from './world/node-view.ts'
import { honestView, type View } from './world/view.ts'

export const loopback = '127.0.0.1'
/**
 * The limit for the path and the headers of a request, in bytes. It is large, so that a name of many
 * thousand characters gets Splice's 400 instead of a 431 of Node's HTTP server.
 */
const maxHeaderSize = 256 * 1024
const maxBodyBytes = 1024 * 1024

/** How a node answers the requests for one read, with all faults that apply to this read. */
interface Behaviour {
  readonly view: View
  wait(ask: Ask): Promise<void>
  say(reply: Reply, ask: Ask, body: string): Reply
  send(reply: Reply, ask: Ask): void | Promise<void>
}

/** Resolves with the port. */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, loopback)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/** The scan node of one super validator. Before `enter` is called, it closes every connection. */
export class LocalnetNode implements AsyncDisposable {
  readonly log = new RequestLog()
  readonly #server: Server
  #context: NodeContext | undefined
  #release = running(usualRelease, 0)
  #port = 0
  #faults: readonly PreparedFault[] = []
  #behaviours = new Map<ReadId, Behaviour>()
  #changing: Promise<void> = Promise.resolve()

  constructor() {
    this.#server = createServer({ maxHeaderSize, keepAliveTimeout: 75_000 }, (request, response) =>
      this.#serve(request, response),
    )
  }

  async open(port: number): Promise<string> {
    this.#port = await listen(this.#server, port)
    return `http://${loopback}:${this.#port}`
  }

  enter(context: NodeContext): void {
    this.#context = context
  }

  /** Requests that have arrived before are answered by the release that the node ran then. */
  run(release: ReleaseName, since: Micros): void {
    this.#release = running(release, since)
  }

  get release(): ReleaseName {
    return this.#release.name
  }

  get faults(): readonly PreparedFault[] {
    return this.#faults
  }

  /**
   * Replaces all faults of the node. Replies that are under way keep the faults with which they
   * began. If a new fault closes the port, all connections are closed at once.
   */
  setFaults(faults: readonly PreparedFault[]): Promise<void> {
    const change = async () => {
      const refuses = faults.some(({ effects }) => effects.refuses)
      if (refuses) await close(this.#server)
      else if (!this.#server.listening) await listen(this.#server, this.#port)
      this.#faults = faults
      this.#behaviours = new Map()
    }
    this.#changing = this.#changing.then(change, change)
    return this.#changing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#changing.catch(() => undefined)
    await close(this.#server)
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const context = this.#context
    if (context === undefined) return void response.destroy()
    const release = this.#release
    const { url: target = '', method = '', headers } = request
    const parsed = parseTarget(target)
    const { read, args } = matchRead(parsed?.segments ?? [], release)
    this.log.record({ read: read.id, method, target })
    const uri = `http://${headers.host ?? ''}${target}`
    const ask = { read: read.id, method, target, uri, context, release, response }
    const how = this.#behaviour(context, read.id)
    const answer = async (body: string): Promise<Reply> => {
      if (parsed === undefined) return textReply(400, 'Illegal request-target: malformed escape sequence')
      const { method: allowed } = read
      if (method !== allowed && read !== unknownRead)
        return textReply(405, `HTTP method not allowed, supported methods: ${allowed}`, ['allow', allowed])
      return read.answer(how.view, {
        lastArgument: args.at(-1) ?? '',
        args,
        query: parsed.query,
        contentType: headers['content-type'],
        body,
        uri,
        member: context.member,
        release,
        uptimeMs: () => (microsOf(context.clock.wall()) - context.network.startedAt) / 1000,
      })
    }
    serveInSteps(request, { ask, how, answer }).catch(() => response.destroy())
  }

  #behaviour(context: NodeContext, read: ReadId): Behaviour {
    const known = this.#behaviours.get(read)
    if (known !== undefined) return known
    const made = behaviour(context, this.#faults, read)
    this.#behaviours.set(read, made)
    return made
  }
}

function running(name: ReleaseName, since: Micros): RunningRelease {
  return { ...releases[name], name, since }
}

async function serveInSteps(
  request: IncomingMessage,
  { ask, how, answer }: { ask: Ask; how: Behaviour; answer: (body: string) => Promise<Reply> },
): Promise<void> {
  const body = (await bytesOf(request, maxBodyBytes))?.toString()
  await how.wait(ask)
  if (ask.response.destroyed) return
  const honest =
    body === undefined
      ? textReply(413, 'EntityStreamSizeException')
      : await answer(body).catch(() => unexpectedError)
  await how.send(how.say(honest, ask, body ?? ''), ask)
}

function behaviour(context: NodeContext, faults: readonly PreparedFault[], read: ReadId): Behaviour {
  const effects = faults.filter((fault) => fault.appliesTo(read)).map((fault) => fault.effects)
  const send = effects.findLast((effect) => effect.send !== undefined)?.send
  return {
    view: view(context, effects),
    async wait(ask) {
      for (const effect of effects) await effect.wait?.(ask)
    },
    say: (reply, ask, body) => effects.reduce((said, effect) => effect.say?.(said, ask, body) ?? said, reply),
    send: send ?? ((reply, { response }) => sendWhole(response, reply)),
  }
}

function view(context: NodeContext, effects: readonly Effects[]): View {
  // A node has a snapshot 20 s to 90 s after the time of the snapshot. Up to 71 nodes all have
  // different delays.
  const settlingMs = (20 + ((context.index * 37) % 71)) * 1_000
  const traits = Object.assign({ ...usualTraits, settlingMs }, ...effects.map((effect) => effect.traits))
  const honest = honestView(context.network, traits)
  return effects.reduce((seen, effect) => effect.see?.(seen, context) ?? seen, honest)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { ReadLane, type ReadLaneDeps } from './read-lane.ts'
import type { RequestTarget } from './request.ts'
import type { Surroundings } from './respond.ts'
import { mounts } from './routes/mounts.ts'

/**
 * A node of the trie in which a path is looked up, segment by segment. `lanes` has, by HTTP method,
 * what serves the path that ends at this node.
 */
interface RouteNode {
  readonly children: Map<string, RouteNode>
  parameter: RouteNode | undefined
  readonly lanes: Map<string, ReadLane>
}

interface Routed {
  readonly lane: ReadLane
  readonly target: RequestTarget
}

/** Longer targets are parsed each time, so that callers cannot fill the memory. */
const mostRouted = { targets: 1_000, characters: 256 }

/** `@hono/node-server` rejects targets with other characters. */
const usualTarget = /^\/[!-[\]-~]*$/

export class ReadLanes {
  readonly all: readonly ReadLane[]
  readonly #root = emptyNode()
  readonly #routed = new LRUCache<string, Routed>({ max: mostRouted.targets })
  #usualHost: string | undefined

  constructor(network: Surroundings['network'], deps: ReadLaneDeps) {
    this.all = mounts.map((mount) => new ReadLane(mount, network, deps))
    for (const lane of this.all) this.#add(lane)
  }

  /** Returns false, and serves nothing, if the target or the host is malformed, or if no read has this path. */
  tryServe(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '', headers } = request
    if (!this.#isUsualHost(headers.host)) return false
    const routed = (method === 'GET' && this.#routed.get(url)) || this.#route(url, method)
    routed?.lane.serve(routed.target, request, response)
    return routed !== undefined
  }

  #route(url: string, method: string): Routed | undefined {
    const parsed = usualTarget.test(url) ? URL.parse(`http://host${url}`) : null
    if (parsed === null) return undefined
    const target = { path: parsed.pathname, query: parsed.search.slice(1) }
    const lane = laneIn(this.#root, target.path.split('/'), 1, method === 'HEAD' ? 'GET' : method)
    if (lane === undefined) return undefined
    const routed = { lane, target }
    if (method === 'GET' && url.length <= mostRouted.characters) this.#routed.set(url, routed)
    return routed
  }

  /** A request of HTTP/1.0 may have no host. */
  #isUsualHost(host: string | undefined): boolean {
    if (host === undefined || host === this.#usualHost) return true
    const name = host.replace(/:\d+$/, '').toLowerCase()
    if (URL.parse(`http://${host}`)?.hostname !== name) return false
    this.#usualHost = host
    return true
  }

  #add(lane: ReadLane): void {
    const { template, method } = lane.mount
    let node = this.#root
    for (const segment of template.split('/').slice(1)) node = childOf(node, segment)
    node.lanes.set(method, lane)
  }
}

function childOf(node: RouteNode, segment: string): RouteNode {
  if (segment.startsWith('{')) {
    node.parameter ??= emptyNode()
    return node.parameter
  }
  const known = node.children.get(segment) ?? emptyNode()
  node.children.set(segment, known)
  return known
}

function laneIn(
  node: RouteNode,
  segments: readonly string[],
  at: number,
  method: string,
): ReadLane | undefined {
  if (at === segments.length) return node.lanes.get(method)
  const segment = segments[at] as string
  const named = node.children.get(segment.includes('%') ? decoded(segment) : segment)
  const found = named && laneIn(named, segments, at + 1, method)
  if (found !== undefined || node.parameter === undefined || segment === '') return found
  return laneIn(node.parameter, segments, at + 1, method)
}

function decoded(segment: string): string {
  try {
    return decodeURI(segment)
  } catch {
    return segment
  }
}

function emptyNode(): RouteNode {
  return { children: new Map(), parameter: undefined, lanes: new Map() }
}

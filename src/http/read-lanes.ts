import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { ReadLane, type ReadLaneDeps } from './read-lane.ts'
import { type RequestTarget, splitTarget } from './request.ts'
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

const mostRouted = { targets: 1_000, characters: 256 }

export class ReadLanes {
  readonly all: readonly ReadLane[]
  readonly #root = emptyNode()
  readonly #routed = new LRUCache<string, Routed>({ max: mostRouted.targets })
  #plainHost: string | undefined

  constructor(network: Surroundings['network'], deps: ReadLaneDeps) {
    this.all = mounts.map((mount) => new ReadLane(mount, network, deps))
    for (const lane of this.all) this.#add(lane)
  }

  /**
   * Saves the time to parse the URL. Returns false, and serves nothing, if a URL parser might
   * change the URL, or if no read has this path.
   */
  tryServeUnparsed(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '', headers } = request
    if (!this.#isPlainHost(headers.host)) return false
    const routed = method === 'GET' ? (this.#routed.get(url) ?? this.#route(url)) : undefined
    if (routed === undefined) return isPlainTarget(url) && this.tryServe(splitTarget(url), request, response)
    routed.lane.serve(routed.target, request, response)
    return true
  }

  tryServe(target: RequestTarget, request: IncomingMessage, response: ServerResponse): boolean {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const lane = laneIn(this.#root, target.path.split('/'), 1, method)
    lane?.serve(target, request, response)
    return lane !== undefined
  }

  #route(url: string): Routed | undefined {
    if (!isPlainTarget(url)) return undefined
    const target = splitTarget(url)
    const lane = laneIn(this.#root, target.path.split('/'), 1, 'GET')
    if (lane === undefined) return undefined
    const routed = { lane, target }
    if (url.length <= mostRouted.characters) this.#routed.set(url, routed)
    return routed
  }

  #isPlainHost(host: string | undefined): boolean {
    if (host === undefined || (host !== this.#plainHost && !plainHost.test(host))) return false
    this.#plainHost = host
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

/**
 * Matches a host that a URL parser certainly leaves unchanged. It does not match:
 * - a port of one to three digits, because a parser removes the default port 80
 * - a port that begins with 0, because a parser removes the 0
 * - a port that begins with 6 to 9, because the number may be above 65535
 * - a name whose last label begins with a digit, because a parser may take it for an IPv4 address
 * - a name with `xn--`, because a parser may reject it
 */
const plainHost = new RegExp(
  `^(?!.*xn--)(?:(?:[a-z0-9_-]+\\.)*[a-z_-][a-z0-9_-]*|${ipv4()})(?::[1-5]\\d{3,4})?$`,
)

function ipv4(): string {
  const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
  return Array(4).fill(byte).join('\\.')
}

/**
 * Whether a URL parser would certainly change nothing. A segment with a dot at its beginning does
 * not pass, because a parser resolves `.` and `..`.
 */
function isPlainTarget(url: string): boolean {
  return plainTarget.test(url) && !dotSegment.test(url)
}

const plainTarget = /^\/[\w/.~:@!$&'()*+,;=%?-]*$/
const dotSegment = /\/(?:\.|%2e)/i

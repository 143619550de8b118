import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Surroundings } from './headers.ts'
import { ReadLane, type ReadLaneDeps } from './read-lane.ts'
import { type RequestTarget, splitTarget } from './request.ts'
import { mounts } from './routes/mounts.ts'

/**
 * A node of the routing trie, in which a path is looked up segment by segment. `folders` has the nodes for
 * the possible next segments. `lanes` has the lanes of the path that ends at this node, by HTTP method.
 */
interface Folder {
  readonly folders: Map<string, Folder>
  /** The trie node for a next segment that is a path parameter. Undefined if no path has a parameter here. */
  parameter: Folder | undefined
  readonly lanes: Map<string, ReadLane>
}

/** The lane and the target of a URL, remembered for the next request with the same URL. */
interface Routed {
  readonly lane: ReadLane
  readonly target: RequestTarget
}

/**
 * The limits of the cache `#routed`: the number of URLs, and the maximum length of a cached URL in
 * characters.
 */
const mostRouted = { targets: 1_000, characters: 256 }

/** Finds the lane that serves a request, among the lanes of all reads. */
export class ReadLanes {
  readonly all: readonly ReadLane[]
  readonly #root = emptyFolder()
  readonly #routed = new LRUCache<string, Routed>({ max: mostRouted.targets })
  #plainHost: string | undefined

  constructor(network: Surroundings['network'], deps: ReadLaneDeps) {
    this.all = mounts.map((mount) => new ReadLane(mount, network, deps))
    for (const lane of this.all) this.#add(lane)
  }

  /**
   * Answers a request without parsing its URL. That is possible if a URL parser would certainly leave the
   * host, the path and the query unchanged. Otherwise, or if no read has this path and method, returns false
   * and does nothing.
   */
  tryPlain(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '', headers } = request
    if (!this.#isPlainHost(headers.host)) return false
    const routed = method === 'GET' ? (this.#routed.get(url) ?? this.#route(url)) : undefined
    if (routed === undefined) return isPlainTarget(url) && this.tryServe(splitTarget(url), request, response)
    routed.lane.serve(routed.target, request, response)
    return true
  }

  /** Answers a request for a read. Returns false, and does nothing, if no read has this path and method. */
  tryServe(target: RequestTarget, request: IncomingMessage, response: ServerResponse): boolean {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const lane = laneIn(this.#root, target.path.split('/'), 1, method)
    lane?.serve(target, request, response)
    return lane !== undefined
  }

  /**
   * Finds the lane of a GET, if a URL parser would leave the URL unchanged. Remembers the lane for the next
   * request, but not for a long URL.
   */
  #route(url: string): Routed | undefined {
    if (!isPlainTarget(url)) return undefined
    const target = splitTarget(url)
    const lane = laneIn(this.#root, target.path.split('/'), 1, 'GET')
    if (lane === undefined) return undefined
    const routed = { lane, target }
    if (url.length <= mostRouted.characters) this.#routed.set(url, routed)
    return routed
  }

  /**
   * Whether a URL parser would leave this host unchanged. The last host that passed is remembered, because
   * nearly all requests have the same host.
   */
  #isPlainHost(host: string | undefined): boolean {
    if (host === undefined || (host !== this.#plainHost && !plainHost.test(host))) return false
    this.#plainHost = host
    return true
  }

  #add(lane: ReadLane): void {
    const { template, method } = lane.mount
    let folder = this.#root
    for (const segment of template.split('/').slice(1)) folder = folderIn(folder, segment)
    folder.lanes.set(method, lane)
  }
}

function folderIn(folder: Folder, segment: string): Folder {
  if (segment.startsWith('{')) {
    folder.parameter ??= emptyFolder()
    return folder.parameter
  }
  const known = folder.folders.get(segment) ?? emptyFolder()
  folder.folders.set(segment, known)
  return known
}

/**
 * Finds the lane of a path. Undefined if no read has this path and method.
 * @param at the index in `segments` from which to search.
 */
function laneIn(
  folder: Folder,
  segments: readonly string[],
  at: number,
  method: string,
): ReadLane | undefined {
  if (at === segments.length) return folder.lanes.get(method)
  const segment = segments[at] as string
  const named = folder.folders.get(segment.includes('%') ? decoded(segment) : segment)
  const found = named && laneIn(named, segments, at + 1, method)
  if (found !== undefined || folder.parameter === undefined || segment === '') return found
  return laneIn(folder.parameter, segments, at + 1, method)
}

function decoded(segment: string): string {
  try {
    return decodeURI(segment)
  } catch {
    return segment
  }
}

function emptyFolder(): Folder {
  return { folders: new Map(), parameter: undefined, lanes: new Map() }
}

/**
 * Matches a host if a URL parser certainly leaves it unchanged: a name or an IPv4 address in lower case, with
 * or without a port. It does not match:
 * - a port of one to three digits, because a parser removes the default port 80
 * - a port that begins with 0, because a parser removes the 0
 * - a port that begins with 6 to 9, because the number may be above 65535
 * - a name whose last label begins with a digit, because a parser may take the name for an IPv4 address
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
 * Whether this path and query certainly need no URL parser, because it would change nothing. Returns false for
 * some that it would not change either: all with characters that `plainTarget` does not list, such as `\`, and all
 * with a segment that begins with a dot, because a parser resolves `.` and `..`.
 */
function isPlainTarget(url: string): boolean {
  return plainTarget.test(url) && !stepInPath.test(url)
}

const plainTarget = /^\/[\w/.~:@!$&'()*+,;=%?-]*$/
const stepInPath = /\/(?:\.|%2e)/i

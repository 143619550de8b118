import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Surroundings } from './headers.ts'
import { ReadLane, type ReadLaneDeps } from './read-lane.ts'
import { type RequestTarget, splitTarget } from './request.ts'
import { mounts } from './routes/mounts.ts'

/**
 * A node of the tree that finds the lane of a path. `folders` contains the nodes of the possible next
 * segments. `lanes` contains the lanes of the path that ends here, by HTTP method.
 */
interface Folder {
  readonly folders: Map<string, Folder>
  /** The node for a next segment that is a path parameter. */
  parameter: Folder | undefined
  readonly lanes: Map<string, ReadLane>
}

/** A path and query whose lane was found before. */
interface Routed {
  readonly lane: ReadLane
  readonly target: RequestTarget
}

/** The lanes of at most `targets` URLs are remembered. URLs with more than `characters` characters are not. */
const mostRouted = { targets: 1_000, characters: 256 }

/** Finds the lane that serves a request, among those of all reads. */
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
   * Answers a request whose path and query a URL parser would leave unchanged, and so avoids parsing it.
   * Returns false, and does nothing, if a parser might change them or if no read has this path.
   */
  tryPlain(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '', headers } = request
    if (!this.#isPlainHost(headers.host)) return false
    const routed = method === 'GET' ? (this.#routed.get(url) ?? this.#route(url)) : undefined
    if (routed === undefined) return isPlainTarget(url) && this.tryServe(splitTarget(url), request, response)
    routed.lane.serve(routed.target, request, response)
    return true
  }

  /** Answers a request for a read. Returns false, and does nothing, if no read has this path. */
  tryServe(target: RequestTarget, request: IncomingMessage, response: ServerResponse): boolean {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const lane = laneIn(this.#root, target.path.split('/'), 1, method)
    lane?.serve(target, request, response)
    return lane !== undefined
  }

  /**
   * Finds the lane of a GET, if a URL parser would leave the URL unchanged. Remembers the result unless the
   * URL is long.
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
   * Whether a URL parser would leave this host unchanged. It remembers the last such host, because nearly all
   * requests have the same one.
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
 * @param at the index of the segment from which to search.
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
 * Matches hosts that a URL parser certainly leaves unchanged: a name or an IPv4 address, perhaps with a port
 * of at least four digits. A parser takes a name that ends in a number for an address, and may reject a name
 * with `xn--`; these do not match.
 */
const plainHost = new RegExp(
  `^(?!.*xn--)(?:(?:[a-z0-9_-]+\\.)*[a-z_-][a-z0-9_-]*|${ipv4()})(?::[1-5]\\d{3,4})?$`,
)

function ipv4(): string {
  const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
  return Array(4).fill(byte).join('\\.')
}

/**
 * Whether a URL parser would neither change nor reject this path and query. They then have no segment `.` or
 * `..`, no backslash and no fragment.
 */
function isPlainTarget(url: string): boolean {
  return plainTarget.test(url) && !stepInPath.test(url)
}

const plainTarget = /^\/[\w/.~:@!$&'()*+,;=%?-]*$/
const stepInPath = /\/(?:\.|%2e)/i

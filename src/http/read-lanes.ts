import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Surroundings } from './headers.ts'
import { ReadLane, type ReadLaneDeps } from './read-lane.ts'
import { type RequestTarget, splitTarget } from './request.ts'
import { mounts } from './routes/mounts.ts'

/**
 * A node of the routing tree. `folders` holds the possible next segments; `lanes` holds the paths that end here, by
 * method.
 */
interface Folder {
  readonly folders: Map<string, Folder>
  /** The subtree of a path parameter. */
  parameter: Folder | undefined
  readonly lanes: Map<string, ReadLane>
}

/** A target that was routed before. */
interface Routed {
  readonly lane: ReadLane
  readonly target: RequestTarget
}

/** How many targets are remembered, and the longest of them. */
const mostRouted = { targets: 1_000, characters: 256 }

/** Routes requests to the lanes of all reads. */
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
   * Answers a request whose target a URL parser would leave unchanged. Returns false if the parser might change it, or
   * if no read has this path.
   */
  tryPlain(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '', headers } = request
    if (!this.#isPlainHost(headers.host)) return false
    const routed = method === 'GET' ? (this.#routed.get(url) ?? this.#route(url)) : undefined
    if (routed === undefined) return isPlainTarget(url) && this.tryServe(splitTarget(url), request, response)
    routed.lane.serve(routed.target, request, response)
    return true
  }

  /** Returns false if no read has this path. */
  tryServe(target: RequestTarget, request: IncomingMessage, response: ServerResponse): boolean {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const lane = laneIn(this.#root, target.path.split('/'), 1, method)
    lane?.serve(target, request, response)
    return lane !== undefined
  }

  /** Finds the lane of a GET of a plain target, and remembers it unless the target is long. */
  #route(url: string): Routed | undefined {
    if (!isPlainTarget(url)) return undefined
    const target = splitTarget(url)
    const lane = laneIn(this.#root, target.path.split('/'), 1, 'GET')
    if (lane === undefined) return undefined
    const routed = { lane, target }
    if (url.length <= mostRouted.characters) this.#routed.set(url, routed)
    return routed
  }

  /** Nearly all requests name the same host. */
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
 * @param at index of the next segment.
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
 * A name or an address, optionally with a port of at least four digits. A URL parser treats a name that ends in a
 * number as an address, and may reject a name with `xn--`.
 */
const plainHost = new RegExp(
  `^(?!.*xn--)(?:(?:[a-z0-9_-]+\\.)*[a-z_-][a-z0-9_-]*|${ipv4()})(?::[1-5]\\d{3,4})?$`,
)

function ipv4(): string {
  const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
  return Array(4).fill(byte).join('\\.')
}

/**
 * True if a URL parser would neither change nor reject this target: it has no `.` or `..` segment, no backslash and no
 * fragment.
 */
function isPlainTarget(url: string): boolean {
  return plainTarget.test(url) && !stepInPath.test(url)
}

const plainTarget = /^\/[\w/.~:@!$&'()*+,;=%?-]*$/
const stepInPath = /\/(?:\.|%2e)/i

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Surroundings } from './envelope.ts'
import { ReadLane, type ReadLaneDeps } from './read-lane.ts'
import { type RequestTarget, splitTarget } from './request.ts'
import { mounts } from './routes/mounts.ts'

/** A folder of paths: what the next segment may be, and whose path ends here. */
interface Folder {
  readonly folders: Map<string, Folder>
  /** The folder of a path parameter. */
  parameter: Folder | undefined
  readonly lanes: Map<string, ReadLane>
}

/** The paths of all reads. */
export class ReadLanes {
  readonly all: readonly ReadLane[]
  readonly #root = emptyFolder()

  constructor(network: Surroundings['network'], deps: ReadLaneDeps) {
    this.all = mounts.map((mount) => new ReadLane(mount, network, deps))
    for (const lane of this.all) this.#add(lane)
  }

  /** Answers a request whose target a parser of URLs would leave as it is; false where that is not so, or no read is there. */
  tryPlain(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', headers } = request
    return (
      isPlainHost(headers.host) && isPlainTarget(url) && this.tryServe(splitTarget(url), request, response)
    )
  }

  /** False where no read is there. */
  tryServe(target: RequestTarget, request: IncomingMessage, response: ServerResponse): boolean {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const lane = laneIn(this.#root, target.path.split('/'), 1, method)
    lane?.serve(target, request, response)
    return lane !== undefined
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

/** @param at of the next segment. */
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

/** Whether a parser of URLs would leave this `host` as it is. */
function isPlainHost(host: string | undefined): boolean {
  return plainHost.test(host ?? '')
}

/**
 * A name or an address, and a port of four digits or more, if any. What ends in a number is an address to a parser of
 * URLs, and `xn--` begins a name that it may refuse.
 */
const plainHost = new RegExp(
  `^(?!.*xn--)(?:(?:[a-z0-9_-]+\\.)*[a-z_-][a-z0-9_-]*|${ipv4()})(?::[1-5]\\d{3,4})?$`,
)

function ipv4(): string {
  const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
  return Array(4).fill(byte).join('\\.')
}

/** What it would neither change nor refuse: no step in a path, no backslash, no fragment. */
function isPlainTarget(url: string): boolean {
  return plainTarget.test(url) && !stepInPath.test(url)
}

const plainTarget = /^\/[\w/.~:@!$&'()*+,;=%?-]*$/
const stepInPath = /\/(?:\.|%2e)/i

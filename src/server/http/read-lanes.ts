import type { IncomingMessage, ServerResponse } from 'node:http'
import { TrieRouter } from 'hono/router/trie-router'
import { LRUCache } from 'lru-cache'
import { ReadLane, type ReadLaneDeps } from './read-lane.ts'
import type { RequestTarget } from './request.ts'
import type { Surroundings } from './respond.ts'
import { honoPath, mounts } from './routes/mounts.ts'

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
  readonly #router = new TrieRouter<ReadLane>()
  readonly #routed = new LRUCache<string, Routed>({ max: mostRouted.targets })
  #usualHost: string | undefined

  constructor(network: Surroundings['network'], deps: ReadLaneDeps) {
    this.all = mounts.map((mount) => new ReadLane(mount, network, deps))
    // The first match counts, so paths without a parameter come first.
    const isFixed = ({ mount }: ReadLane) => !mount.template.includes('{')
    for (const lane of [...this.all.filter(isFixed), ...this.all])
      this.#router.add(lane.mount.method, honoPath(lane.mount.template), lane)
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
    const path = target.path.includes('%') ? target.path.split('/').map(decoded).join('/') : target.path
    const [[found]] = this.#router.match(method === 'HEAD' ? 'GET' : method, path)
    if (found === undefined) return undefined
    const [lane] = found
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
}

function decoded(segment: string): string {
  try {
    return decodeURI(segment)
  } catch {
    return segment
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, momentOf } from '../lib/clock.ts'
import type { Reader } from '../scan/reader.ts'
import type { RouteEvents } from '../telemetry/events.ts'
import { formOf } from './projection.ts'
import { paramsReader, splitTarget, type Target } from './request.ts'
import type { Responder } from './respond.ts'
import type { Mount } from './routes/mounts.ts'
import type { Shortcut } from './server.ts'

export interface HitDeps {
  readonly reader: Pick<Reader, 'peek'>
  readonly clock: Clock
  readonly responder: Responder
  readonly eventsOf: (mount: Mount) => RouteEvents
}

/**
 * Answers a cached GET without waiting for anything, ahead of the app. It does nothing that the app would not have
 * done; where it is not sure it answers nothing, and the app decides.
 *
 * @param mounts those whose path ends in its one path parameter, or has none.
 */
export function createHits(mounts: readonly Mount[], deps: HitDeps): Shortcut {
  const byStart = new Map(mounts.map((mount) => [literalStart(mount), hitOf(mount, deps)]))
  return (request, response) => {
    const { method, url = '', headers } = request
    if (method !== 'GET' || !plainHost.test(headers.host ?? '')) return false
    const target = splitTarget(url)
    const folder = target.path.slice(0, target.path.lastIndexOf('/') + 1)
    const tryHit = byStart.get(folder) ?? byStart.get(target.path)
    if (tryHit === undefined || !plainRest.test(url.slice(folder.length))) return false
    return tryHit(target, request, response)
  }
}

/**
 * A name or an address that a parser of URLs would leave as it is, and a port of four digits or more, if any. What ends
 * in a number is an address to such a parser, and `xn--` begins a name that it may refuse.
 */
const plainHost = new RegExp(
  `^(?!.*xn--)(?:(?:[a-z0-9_-]+\\.)*[a-z_-][a-z0-9_-]*|${ipv4()})(?::[1-5]\\d{3,4})?$`,
)

function ipv4(): string {
  const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
  return Array(4).fill(byte).join('\\.')
}

/** What it would neither change nor refuse: no step in a path, no backslash, no fragment. */
const plainRest = /^(?!\.|%2e)[\w/.~:@!$&'()*+,;=%?-]*$/i

function hitOf(mount: Mount, { reader, clock, responder, eventsOf }: HitDeps) {
  const { read, surface } = mount
  const readParams = paramsReader(read, mount.template)
  const events = eventsOf(mount)
  return (target: Target, request: IncomingMessage, response: ServerResponse): boolean => {
    const at = momentOf(clock)
    try {
      const params = readParams(target)
      const served = reader.peek(read, params, at)
      if (served === undefined) return false
      const form = formOf(read, surface, params, served.answer)
      const { status, headers, body } = responder.reply(form, served, request, at)
      response.writeHead(status, headers)
      response.end(body, 'latin1')
      events.served('GET', status, (clock.now() - at.now) / 1000)
      return true
    } catch {
      return false
    }
  }
}

/** A mount's path as far as it is the same for all params. */
function literalStart({ template }: Mount): string {
  const brace = template.indexOf('{')
  return brace === -1 ? template : template.slice(0, brace)
}

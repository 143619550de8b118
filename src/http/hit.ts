import { type Clock, momentOf } from '../lib/clock.ts'
import type { Params } from '../reads/read.ts'
import type { Peek, Reader } from '../scan/reader.ts'
import type { RouteEvents } from '../telemetry/events.ts'
import { formOf } from './projection.ts'
import { paramsReader, splitTarget } from './request.ts'
import type { Responder } from './respond.ts'
import type { Mount } from './routes/mounts.ts'
import type { Shortcut } from './server.ts'

export interface HitDeps {
  readonly reader: Pick<Reader, 'peeker'>
  readonly clock: Clock
  readonly responder: Responder
  readonly eventsOf: (mount: Mount) => RouteEvents
}

/** What a request target asks. */
interface Question {
  readonly mount: Mount
  readonly params: Params
  readonly peek: Peek
  readonly events: RouteEvents
}

/** Undefined where it is not sure what is asked; throws for bad params. */
type Understand = (url: string) => Question | undefined

/** Targets that were hits, because most will be again; when there are more, all are forgotten. */
const mostTargets = 10_000
const longestTarget = 512

/**
 * Answers a cached GET without waiting for anything, ahead of the app. It does nothing that the app would not have
 * done; where it is not sure it answers nothing, and the app decides.
 *
 * @param mounts those whose path ends in its one path parameter, or has none.
 */
export function createHits(mounts: readonly Mount[], deps: HitDeps): Shortcut {
  const { clock, responder } = deps
  const understand = understanding(mounts, deps)
  const known = new Map<string, Question>()
  return (request, response) => {
    const { method, url = '', headers: asked } = request
    if (method !== 'GET' || !plainHost.test(asked.host ?? '')) return false
    try {
      const before = known.get(url)
      const question = before ?? understand(url)
      const at = momentOf(clock)
      const served = question?.peek(at)
      if (question === undefined || served === undefined) return false
      if (before === undefined) remember(known, url, question)
      const { mount, params, events } = question
      const form = formOf(mount.read, mount.surface, params, served.answer)
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

function remember(known: Map<string, Question>, url: string, question: Question): void {
  if (url.length > longestTarget) return
  if (known.size >= mostTargets) known.clear()
  known.set(url, question)
}

function understanding(mounts: readonly Mount[], { reader, eventsOf }: HitDeps): Understand {
  const byStart = new Map(
    mounts.map((mount) => {
      const events = eventsOf(mount)
      return [literalStart(mount), { mount, readParams: paramsReader(mount.read, mount.template), events }]
    }),
  )
  return (url) => {
    const target = splitTarget(url)
    const folder = target.path.slice(0, target.path.lastIndexOf('/') + 1)
    const found = byStart.get(folder) ?? byStart.get(target.path)
    if (found === undefined || !plainRest.test(url.slice(folder.length))) return undefined
    const { mount, readParams, events } = found
    const params = readParams(target)
    return { mount, params, events, peek: reader.peeker(mount.read, params) }
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

/** A mount's path as far as it is the same for all params. */
function literalStart({ template }: Mount): string {
  const brace = template.indexOf('{')
  return brace === -1 ? template : template.slice(0, brace)
}

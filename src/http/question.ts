import type { Params } from '../reads/read.ts'
import type { Lookup, Reader } from '../scan/reader.ts'
import type { RouteEvents } from '../telemetry/events.ts'
import { paramsReader, splitTarget } from './request.ts'
import type { Mount } from './routes/mounts.ts'

/** What a request target asks. */
export interface Question {
  readonly mount: Mount
  readonly params: Params
  readonly lookup: Lookup
  readonly events: RouteEvents
}

export interface QuestionDeps {
  readonly reader: Pick<Reader, 'lookup'>
  readonly eventsOf: (mount: Mount) => RouteEvents
}

/** Undefined where it is not sure what is asked; throws for bad params. */
export type Understand = (url: string) => Question | undefined

/** @param mounts those whose path ends in its one path parameter, or has none. */
export function understanding(mounts: readonly Mount[], { reader, eventsOf }: QuestionDeps): Understand {
  const byStart = new Map(
    mounts.map((mount) => {
      const events = eventsOf(mount)
      return [literalStart(mount), { mount, readParams: paramsReader(mount.read, mount.template), events }]
    }),
  )
  const mountAt = (path: string, folder: string) =>
    path.length > folder.length ? (byStart.get(folder) ?? byStart.get(path)) : undefined
  return (url) => {
    const target = splitTarget(url)
    const folder = target.path.slice(0, target.path.lastIndexOf('/') + 1)
    const found = mountAt(target.path, folder)
    if (found === undefined || !plainRest.test(url.slice(folder.length))) return undefined
    const { mount, readParams, events } = found
    const params = readParams(target)
    return { mount, params, events, lookup: reader.lookup(mount.read, params) }
  }
}

/** Whether a parser of URLs would leave this `host` as it is. */
export function isPlainHost(host: string | undefined): boolean {
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
const plainRest = /^(?!\.|%2e)[\w/.~:@!$&'()*+,;=%?-]*$/i

/** A mount's path as far as it is the same for all params. */
function literalStart({ template }: Mount): string {
  const brace = template.indexOf('{')
  return brace === -1 ? template : template.slice(0, brace)
}

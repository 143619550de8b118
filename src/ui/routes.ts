import { SpliceError } from '../errors/splice.ts'
import type { PlainRoute, RouteContext } from '../http/routes/route.ts'
import type { EntryRequest } from '../names/name.ts'
import type { Examiner } from '../scan/examiner.ts'
import { assets } from './assets.ts'
import { formIn } from './form.ts'
import type { Live } from './live.ts'
import { lookUp, questionIn } from './lookup.ts'
import type { LiveModel, LocalnetFault, PageModel, ShownNode } from './model.ts'
import { pageView } from './views/page.ts'

/** The parts of a localnet that can be changed by hand. */
export interface Trials {
  readonly kinds: readonly LocalnetFault[]
  nodes(): readonly ShownNode[]
  /**
   * Injects a fault into a node; undefined heals it. Rejects if that is impossible, for example because the port is
   * taken.
   */
  setFault(name: string, kind: string | undefined): Promise<void>
  /** Undefined if names cannot be registered. */
  readonly registration:
    | { readonly acronym: string; register(user: string, entry: EntryRequest): Promise<void> }
    | undefined
}

/**
 * Takes a miss of this client address.
 * @throws SpliceError `tooManyMisses`
 */
export type Spend = (address: string) => void

export interface RoutesDeps {
  readonly version: string
  readonly examiner: Pick<Examiner, 'examine'>
  readonly live: Live
  readonly now: () => LiveModel
  readonly spend: Spend
  /** True if the visitor may have every super validator asked. */
  readonly mayAskAll: boolean
  /** Limits how often a page that is no look-up is rebuilt. */
  readonly paced: (make: () => string) => () => string
  /** Undefined if the page changes nothing. */
  readonly trials: Trials | undefined
}

/** The page loads only files of this daemon, permits no inline scripts or styles, and cannot be framed. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy,
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The routes of the page: viewing it, and on a localnet also changing the localnet. */
export function pageRoutes(deps: RoutesDeps): readonly PlainRoute[] {
  const blank = deps.paced(() =>
    bodyOf(deps, { question: questionIn(new URLSearchParams(), deps.mayAskAll) }),
  )
  return [
    { method: 'GET', path: '/', id: 'page', handler: (c) => page(deps, blank, c) },
    { method: 'GET', path: '/ui/events', id: 'pageEvents', handler: (c) => events(deps, c) },
    ...assetRoutes,
    ...(deps.trials === undefined ? [] : trialRoutes(deps, deps.trials)),
  ]
}

async function page(deps: RoutesDeps, blank: () => string, c: RouteContext): Promise<Response> {
  const query = new URL(c.req.url).searchParams
  const question = questionIn(query, deps.mayAskAll)
  const isAsked = query.has('q') && (question.text !== '' || question.by === 'prefix')
  if (!isAsked) return new Response(blank(), { headers: pageHeaders })
  const address = c.env.incoming.socket.remoteAddress ?? ''
  const found = await lookUp(question, deps.examiner, () => deps.spend(address))
  const later = found.retryAfter === undefined ? {} : { 'retry-after': String(found.retryAfter) }
  const body = bodyOf(deps, { question, finding: found.finding })
  return new Response(body, { status: found.status, headers: { ...pageHeaders, ...later } })
}

function bodyOf(
  { trials, version, now }: RoutesDeps,
  shown: Pick<PageModel, 'question'> & Partial<Pick<PageModel, 'finding' | 'refused'>>,
): string {
  const model: PageModel = {
    finding: undefined,
    refused: undefined,
    ...now(),
    ...shown,
    version,
    registration: trials?.registration,
    faultKinds: trials?.kinds,
  }
  return pageView(model).toString()
}

function events({ live }: RoutesDeps, c: RouteContext): Response {
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  if (c.req.method === 'HEAD') return new Response(null, { headers })
  const stream = live.listen()
  if (stream === undefined)
    return new Response('too many listen', { status: 503, headers: { ...headers, 'retry-after': '10' } })
  // The stream ends when the daemon stops, and a connection kept alive would delay the shutdown.
  return new Response(stream, {
    headers: {
      ...headers,
      connection: 'close',
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    },
  })
}

const assetRoutes: readonly PlainRoute[] = Object.values(assets).map(({ file, type, etag, body }) => ({
  method: 'GET',
  path: `/ui/${file}`,
  id: 'pageAsset',
  handler(c) {
    const headers = {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': type,
      etag,
      'x-content-type-options': 'nosniff',
    }
    if (c.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers })
    return new Response(body, { headers })
  },
}))

function trialRoutes(
  deps: RoutesDeps,
  { setFault, nodes, kinds, registration }: Trials,
): readonly PlainRoute[] {
  const fault: PlainRoute = {
    method: 'POST',
    path: '/ui/faults',
    id: 'pageFault',
    handler: (c) =>
      changed(deps, 'fault', async () => {
        const { sv = '', kind } = await formIn(c.env.incoming)
        if (!nodes().some(({ name }) => name === sv))
          throw new Senseless(`No super validator is called ${sv}.`)
        if (kind !== undefined && !kinds.some((known) => known.kind === kind))
          throw new Senseless(`No fault is called ${kind}.`)
        await setFault(sv, kind)
        return '../#localnet'
      }),
  }
  if (registration === undefined) return [fault]
  const register: PlainRoute = {
    method: 'POST',
    path: '/ui/registrations',
    id: 'pageRegistration',
    handler: (c) =>
      changed(deps, 'registration', async () => {
        const { name: chosen = '', user = '', url = '', description = '' } = await formIn(c.env.incoming)
        const name = `${chosen.trim()}.unverified.${registration.acronym}`
        await registration.register(user.trim(), { name, url: url.trim(), description })
        return `../?${new URLSearchParams({ by: 'name', q: name })}#answer`
      }),
  }
  return [fault, register]
}

/** A form that the page itself would not have sent. */
class Senseless extends Error {}

/** Applies a change and redirects to its result. A rejected change shows its reason beside the form. */
async function changed(
  deps: RoutesDeps,
  form: 'fault' | 'registration',
  change: () => Promise<string>,
): Promise<Response> {
  try {
    return new Response(null, { status: 303, headers: { location: await change() } })
  } catch (error) {
    if (!(error instanceof SpliceError || error instanceof Senseless)) throw error
    const status = error instanceof SpliceError ? error.status : 400
    const question = questionIn(new URLSearchParams(), deps.mayAskAll)
    const body = bodyOf(deps, { question, refused: { form, why: error.message } })
    return new Response(body, { status, headers: pageHeaders })
  }
}

import { LRUCache } from 'lru-cache'
import { SpliceError } from '../../base/errors/splice.ts'
import { takesGzip } from '../../base/lib/accepted-codings.ts'
import { clientOf } from '../../base/lib/client-address.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { version } from '../../base/lib/version.ts'
import type { Reader } from '../../core/scan/reader.ts'
import { operatorName } from '../../core/scan/roster.ts'
import type { PlainRoute, RouteContext } from '../http/routes/route.ts'
import { streamHeaders } from '../http/stream-headers.ts'
import { assetPath, assets } from './assets.ts'
import type { Sources } from './collect-model.ts'
import { type DoctorOnDemand, type DoctorOnDemandDeps, doctorRoutes } from './doctor-on-demand.ts'
import { incidentsIn } from './incidents.ts'
import type { Live } from './live.ts'
import { type LocalnetControls, localnetRoutes, type RefusedForms } from './localnet-routes.ts'
import {
  type Found,
  inputProblem,
  type LookupDeps,
  lookUp,
  newestNames,
  questionIn,
  suggestions,
} from './lookup.ts'
import type { LiveModel, LookupInput, PageModel, Place } from './model.ts'
import type { HistoryDeps } from './name-timeline.ts'
import { type ReceiptFiles, receiptRoute } from './receipt-files.ts'
import {
  Compressible,
  compressed,
  jsonResponse,
  pageResponse,
  seeOther,
  textResponse,
  unkept,
} from './responses.ts'
import { faultBound, findCase, isInDoubt, reportable, reportFor } from './stories.ts'
import { beginningView, findingView, recentDoubtView } from './views/lookup.ts'
import { pageView, titleOf } from './views/page.ts'
import { caseView } from './views/stories.ts'

/**
 * Takes one cache miss from the budget of a client (`clientOf`).
 * @throws SpliceError `tooManyMisses`
 */
export type Spend = (client: string) => void

/** The parts of the daemon that the page shows and asks. */
export interface PageDeps extends Pick<LookupDeps, 'examiner' | 'mirror'> {
  readonly sources: Sources
  readonly reader: Pick<Reader, 'answer'>
  readonly past: HistoryDeps['past']
  /** The address of the public page. Undefined if it is unknown. */
  readonly url: string | undefined
  readonly receipts: ReceiptFiles | undefined
  readonly localnetControls: LocalnetControls | undefined
  readonly examineNetwork: DoctorOnDemandDeps['examine']
  readonly clock: Clock
}

/** The page of the operations address has these, and a look-up there may ask every super validator. */
export interface OperatorDeps {
  readonly localnetControls: LocalnetControls | undefined
  readonly doctor: DoctorOnDemand
  /** The port of the public address. */
  readonly publicPort: number
}

export interface RoutesDeps
  extends Omit<PageDeps, 'localnetControls' | 'examineNetwork'>,
    Partial<OperatorDeps>,
    Pick<LookupDeps, 'history'> {
  readonly live: Live
  readonly now: () => LiveModel
  readonly spend: Spend
  /**
   * Limits how often the pages are built. The result of a look-up is not limited, because it differs
   * for each request.
   */
  readonly paced: <T>(make: () => T) => () => T
}

/** How many rejected forms are kept. */
const mostRefused = 100

export function pageRoutes(deps: RoutesDeps): readonly PlainRoute[] {
  const { localnetControls, doctor } = deps
  const refused: RefusedForms = new LRUCache({ max: mostRefused })
  const blanks = deps.paced(() => new Map<string, Compressible>())
  const placed = (path: string, placeOf: (c: RouteContext) => Place): PlainRoute => ({
    method: 'GET',
    path,
    id: 'page',
    handler: (c) => page(deps, { blanks, refused, place: placeOf(c) }, c),
  })
  return [
    placed('/', () => ({ page: 'lookup' })),
    placed('/network', () => ({ page: 'network' })),
    placed('/receipts', () => ({ page: 'receipts' })),
    placed('/sv/{name}', (c) => ({ page: 'sv', name: c.req.param('name') ?? '' })),
    { method: 'GET', path: '/ui/events', id: 'pageEvents', handler: (c) => events(deps, c) },
    { method: 'GET', path: '/ui/vote', id: 'pageVote', handler: (c) => vote(deps, c) },
    { method: 'GET', path: '/ui/suggestions', id: 'pageSuggestions', handler: (c) => suggest(deps, c) },
    { method: 'GET', path: '/ui/cases/{id}', id: 'pageCase', handler: (c) => oneCase(deps, c) },
    { method: 'GET', path: '/ui/reports/{sv}', id: 'pageReport', handler: (c) => report(deps, c) },
    ...assetRoutes,
    // Browsers ask for this icon where a page names none, such as a disagreement or an error.
    { method: 'GET', path: '/favicon.ico', id: 'pageAsset', handler: () => seeOther(assetPath('icon.svg')) },
    ...(deps.publicPort === undefined ? [] : [toReference(deps.publicPort)]),
    ...(deps.receipts === undefined ? [] : [receiptRoute(deps.receipts)]),
    ...(doctor === undefined ? [] : doctorRoutes(doctor)),
    ...(localnetControls === undefined
      ? []
      : [
          placed('/localnet', () => ({ page: 'localnet' })),
          ...localnetRoutes(localnetControls, refused, () => electorateOf(deps)?.superValidators.f ?? 0),
        ]),
  ]
}

/** Both addresses of the daemon have the same host name, so the redirect changes only the port. */
function toReference(port: number): PlainRoute {
  return {
    method: 'GET',
    path: '/ui/docs',
    id: 'pageReference',
    handler(c) {
      const { protocol, hostname } = new URL(c.req.url)
      return seeOther(`${protocol}//${hostname}:${port}/docs`)
    },
  }
}

interface PageState {
  readonly place: Place
  /** The pages without a look-up, by their place. */
  readonly blanks: () => Map<string, Compressible>
  readonly refused: RefusedForms
}

async function page(
  deps: RoutesDeps,
  { place, blanks, refused }: PageState,
  c: RouteContext,
): Promise<Response> {
  const voters = deps.sources.discovery.roster?.voters ?? []
  const isKnown = place.page !== 'sv' || voters.some(({ names }) => names.includes(place.name))
  if (!isKnown) lookupDeps(deps, c).spend()
  const query = new URL(c.req.url).searchParams
  const question = questionIn(query, mayAskAll(deps))
  const shown = {
    place,
    question,
    finding: undefined,
    refused: deps.localnetControls && refused.get(query.get('refused') ?? ''),
    changed: query.get('changed') ?? undefined,
    tourStepsDone: deps.localnetControls && (Number(query.get('tour')) || 0),
  }
  if (place.page !== 'lookup' || !query.has('q')) {
    const isBlank = isKnown && shown.refused === undefined && !shown.tourStepsDone
    if (!isBlank) return pageResponse(c, bodyOf(deps, shown), { status: isKnown ? 200 : 404 })
    const [made, path] = [blanks(), JSON.stringify(place)]
    const unasked = questionIn(new URLSearchParams(), mayAskAll(deps))
    const blank = made.get(path) ?? new Compressible(bodyOf(deps, { ...shown, question: unasked }))
    made.set(path, blank)
    return pageResponse(c, blank)
  }
  const { finding, status, retryAfter } = await lookUp(question, lookupDeps(deps, c))
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return pageResponse(c, bodyOf(deps, { ...shown, finding }), { status, headers })
}

function lookupDeps(deps: RoutesDeps, c: RouteContext): LookupDeps {
  const { sources, spend } = deps
  const client = clientOf(c.env.incoming)
  return { ...deps, machineMs: sources.machineMs, spend: () => spend(client) }
}

type Shown = Pick<PageModel, 'place' | 'question' | 'finding' | 'refused' | 'changed' | 'tourStepsDone'>

function bodyOf(deps: RoutesDeps, shown: Shown): string {
  const { localnetControls, receipts, now, publicPort, url } = deps
  const model: PageModel = {
    newest: shown.place.page === 'lookup' && shown.finding === undefined ? newestNames(deps) : [],
    ...now(),
    ...shown,
    publicPort,
    url,
    version,
    registration: localnetControls?.registration,
    faultKinds: localnetControls?.kinds,
    canMoveClock: localnetControls?.advance !== undefined,
    receiptKeys: { known: receipts?.keys() ?? [], areKept: receipts?.areKeysKept ?? true },
  }
  return pageView(model).toString()
}

function events({ live }: RoutesDeps, c: RouteContext): Response {
  if (c.req.method === 'HEAD') return new Response(null, { headers: unkept })
  const zipped = takesGzip(c.req.header('accept-encoding'))
  const stream = live.listen(clientOf(c.env.incoming), zipped)
  if (stream === undefined)
    return new Response('too many listen', { status: 503, headers: { ...unkept, 'retry-after': '10' } })
  return new Response(stream, {
    headers: { ...streamHeaders('text/event-stream'), ...(zipped && { 'content-encoding': 'gzip' }) },
  })
}

/**
 * Answers a look-up with a stream of JSON lines. Each line is an object with one of these fields:
 * - `begun`: the HTML of the ring before the first vote. Absent without a roster, or if the input
 *   cannot be looked up.
 * - `event`: an event of the vote, as it happens.
 * - `end`: the HTML of the finding, in the last line.
 * - `failed`: an unexpected error, in the last line in place of `end`.
 */
function vote(deps: RoutesDeps, c: RouteContext): Response {
  const question = questionIn(new URL(c.req.url).searchParams, mayAskAll(deps))
  const lines = new TransformStream<unknown, string>({
    transform: (line, controller) => controller.enqueue(`${JSON.stringify(line)}\n`),
  })
  const writer = lines.writable.getWriter()
  const tell = (line: unknown) => void writer.write(line).catch(ignoreVisitorLeft)
  const begun = beginning(deps, question)
  if (begun !== undefined) tell({ begun })
  lookUp(question, { ...lookupDeps(deps, c), watch: (event) => tell({ event }) })
    .then((found) => tell(endOf(deps, question, found)))
    .catch((error: unknown) => tell({ failed: String(error) }))
    .finally(() => void writer.close().catch(ignoreVisitorLeft))
  return new Response(lines.readable.pipeThrough(new TextEncoderStream()), {
    headers: streamHeaders('application/x-ndjson'),
  })
}

function ignoreVisitorLeft(): void {}

function beginning({ sources }: RoutesDeps, question: LookupInput): string | undefined {
  const present = sources.discovery.roster
  if (present === undefined || inputProblem(question) !== undefined) return undefined
  const electorate = question.strict ? present.strictElectorate() : present.electorate()
  const stands = present.voters.map((voter) => ({
    names: voter.names,
    operator: operatorName(voter),
    stance: 'unasked' as const,
  }))
  return beginningView(question, { stands, electorate }).toString()
}

function endOf(deps: RoutesDeps, question: LookupInput, { finding }: Found) {
  const doubt = recentDoubtView(casesOf(deps), fOf(deps), deps.sources.machineMs())
  const problem = finding.kind === 'senseless' ? finding.why : ''
  return {
    end: { html: findingView(question, finding, doubt).toString(), title: titleOf(question.text), problem },
  }
}

async function suggest(deps: RoutesDeps, c: RouteContext): Promise<Response> {
  const text = new URL(c.req.url).searchParams.get('q')?.trim() ?? ''
  try {
    lookupDeps(deps, c).spend()
    const inDoubt = isInDoubt(casesOf(deps), fOf(deps), deps.sources.machineMs())
    return jsonResponse(c, inDoubt ? [] : await suggestions(text, deps.history.agreed))
  } catch (error) {
    if (error instanceof SpliceError) return jsonResponse(c, [])
    throw error
  }
}

/**
 * Takes one cache miss from the visitor's budget, because the page then compares two answers, which
 * costs more than a cache hit.
 */
function oneCase(deps: RoutesDeps, c: RouteContext): Response {
  lookupDeps(deps, c).spend()
  const kept = findCase(casesOf(deps), c.req.param('id') ?? '')
  if (kept === undefined)
    return pageResponse(c, 'The daemon no longer has this disagreement.', { status: 404 })
  const f = fOf(deps)
  return pageResponse(c, caseView(kept, f, incidentsIn(casesOf(deps), f)).toString())
}

function mayAskAll({ doctor }: RoutesDeps): boolean {
  return doctor !== undefined
}

function casesOf({ sources }: RoutesDeps) {
  return sources.evidence.cases()
}

function electorateOf({ sources }: RoutesDeps) {
  return sources.discovery.roster?.electorate()
}

function fOf(deps: RoutesDeps): number {
  return faultBound(electorateOf(deps)?.superValidators)
}

function report(deps: RoutesDeps, c: RouteContext): Response {
  lookupDeps(deps, c).spend()
  const sv = c.req.param('sv') ?? ''
  const own = reportable(casesOf(deps), sv, fOf(deps))
  const text = reportFor(sv, own, { dso: deps.sources.discovery.roster?.membership.dso ?? 'unknown' })
  return textResponse(c, text, own.length === 0 ? 404 : 200)
}

const assetRoutes: readonly PlainRoute[] = Object.values(assets).map(({ file, type, body }) => ({
  method: 'GET',
  path: `/ui/${file}`,
  id: 'pageAsset',
  handler: (c) =>
    compressed(c, body, {
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': type,
        'x-content-type-options': 'nosniff',
      },
    }),
}))

import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Verifier } from '../../auth/verifier.ts'
import type { Params } from '../../reads/read.ts'
import { bodyParam } from '../../reads/request.ts'
import type { Reader } from '../../scan/reader.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { readJsonBody, readQuestion, readTexts } from '../body.ts'
import type { MissBudget } from '../middleware/misses.ts'
import { requireToken } from '../middleware/token.ts'
import { formFor, formOf, type Known } from '../projection.ts'
import { callerTraceOf, paramsReader, targetOf } from '../request.ts'
import type { Responder } from '../respond.ts'
import type { Mount } from './mounts.ts'

export interface ReadRouteDeps {
  readonly reader: Pick<Reader, 'lookup'>
  readonly budget: MissBudget
  /** Set where this path needs a token. */
  readonly verifier: Verifier | undefined
  readonly responder: Responder
  readonly logger: Logger
}

/** Any request for a read: parameters first, then the token, then the answer. Throws `SpliceError`. */
export function readRoute(mount: Mount, { reader, budget, verifier, responder, logger }: ReadRouteDeps) {
  const { read, surface, template } = mount
  const readParams = paramsReader(read, template)
  return async (c: Context<{ Bindings: HttpBindings }>): Promise<Response> => {
    const { incoming } = c.env
    if (verifier !== undefined) {
      await requireToken(verifier, incoming.headers.authorization, 'splice scan proxy realm', logger)
    }
    const given = readParams(targetOf(c.req.url))
    const { params, known } = mount.method === 'POST' ? await withBody(c, mount, given) : { params: given }
    const lookup = reader.lookup(read, params)
    const address = incoming.socket.remoteAddress ?? ''
    const load = () => budget.load(address, lookup, c.req.raw.signal, callerTraceOf(incoming.headers))
    const served = lookup.peek() ?? (await load())
    const form =
      surface === 'scan' ? formFor(read, params, served, known) : formOf(read, surface, params, served)
    const { status, headers, body } = responder.reply(form, served, incoming)
    return new Response(body as string | Uint8Array<ArrayBuffer> | null, { status, headers })
  }
}

/**
 * What a body asks, or which contracts the caller has already; the proxy's paths read the latter and ignore it, as
 * Splice's do.
 */
async function withBody(
  c: Context<{ Bindings: HttpBindings }>,
  { read, surface }: Mount,
  params: Params,
): Promise<{ readonly params: Params; readonly known?: Known }> {
  const { body, cachedContract, cachedContracts } = read
  const request = c.env.incoming
  if (body !== undefined) return { params: { ...params, [bodyParam]: await readQuestion(request, body) } }
  if (cachedContracts !== undefined)
    return { params, known: await readTexts(request, cachedContracts.fields) }
  const { field, alsoAllowed } = cachedContract ?? { field: '', alsoAllowed: [] }
  const { [field]: known } = await readJsonBody(
    request,
    cachedContract === undefined ? [] : [field, ...alsoAllowed],
  )
  return surface === 'scan' && known !== undefined ? { params, known } : { params }
}

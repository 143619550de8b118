import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Verifier } from '../../auth/verifier.ts'
import type { Reader } from '../../scan/reader.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { readJsonBody } from '../body.ts'
import type { MissBudget } from '../middleware/misses.ts'
import { requireToken } from '../middleware/token.ts'
import { formFor, formOf } from '../projection.ts'
import { paramsReader, targetOf } from '../request.ts'
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
    const params = readParams(targetOf(c.req.url))
    const cachedId = mount.method === 'POST' ? await cachedContractId(c, mount) : undefined
    const lookup = reader.lookup(read, params)
    const address = incoming.socket.remoteAddress ?? ''
    const served = lookup.peek() ?? (await budget.load(address, lookup, c.req.raw.signal))
    const form =
      surface === 'scan' ? formFor(read, params, served, cachedId) : formOf(read, surface, params, served)
    const { status, headers, body } = responder.reply(form, served, incoming)
    return new Response(body as string | Uint8Array<ArrayBuffer> | null, { status, headers })
  }
}

/** The contract that the caller has already; the proxy's paths read the body and ignore it, as Splice's do. */
async function cachedContractId(c: Context, { read, surface }: Mount): Promise<string | undefined> {
  const { cachedContract } = read
  const body = await readJsonBody(
    c.req.raw,
    cachedContract === undefined ? [] : [cachedContract.field, ...cachedContract.alsoAllowed],
  )
  return surface === 'scan' && cachedContract !== undefined ? body[cachedContract.field] : undefined
}

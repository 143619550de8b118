import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Clock } from '../lib/clock.ts'
import type { Reader } from '../scan/reader.ts'
import type { RouteEvents } from '../telemetry/events.ts'
import { formOf } from './projection.ts'
import { parseParams } from './request.ts'
import type { Responder } from './respond.ts'
import type { Mount } from './routes/mounts.ts'

export interface HitDeps {
  readonly reader: Pick<Reader, 'peek'>
  readonly clock: Clock
  readonly responder: Responder
  readonly events: RouteEvents
}

/**
 * Answers a cached GET or HEAD without waiting for anything: the first handler of a read's route, ahead of all
 * middleware. It does nothing that the slow path would not have done; where it is not sure it answers nothing, and the
 * slow path decides.
 */
export function hit(mount: Mount, { reader, clock, responder, events }: HitDeps) {
  return (c: Context<{ Bindings: HttpBindings }>): Response | undefined => {
    const started = clock.now()
    try {
      const params = parseParams(mount.read, mount.template, c.req.url)
      const served = reader.peek(mount.read, params)
      if (served === undefined) return undefined
      const form = formOf(mount.read, mount.surface, params, served.answer)
      const response = responder.respond(form, served, c.env.incoming)
      events.served(c.req.method, response.status, (clock.now() - started) / 1000)
      return response
    } catch {
      return undefined
    }
  }
}

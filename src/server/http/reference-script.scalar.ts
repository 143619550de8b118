import { parentPort } from 'node:worker_threads'
import fastifyApiReference from '@scalar/fastify-api-reference'
import { encode } from './encoded.ts'

/**
 * Scalar's plugin offers its script only as a route of a Fastify server. The daemon has no such
 * server, so an object of this type takes the route.
 */
interface FastifyLike {
  route(route: { readonly url: string; handler(request: undefined, reply: FastifyReplyLike): unknown }): void
}

interface FastifyReplyLike {
  header(name: string, value: string): FastifyReplyLike
  send(body: string): void
}

type Plugin = (app: FastifyLike, options: object, done: () => void) => void

function referenceScript(): string {
  let script: string | undefined
  const reply: FastifyReplyLike = {
    header: () => reply,
    send: (body) => {
      script = body
    },
  }
  const app: FastifyLike = {
    route: ({ url, handler }) => {
      if (url.endsWith('.js')) handler(undefined, reply)
    },
  }
  const register = fastifyApiReference as unknown as Plugin
  register(app, { configuration: { url: 'openapi.json' } }, () => {})
  if (script === undefined) throw new Error('@scalar/fastify-api-reference has no script')
  return script
}

parentPort?.postMessage(await encode(referenceScript()))

import { parentPort } from 'node:worker_threads'
import fastifyApiReference from '@scalar/fastify-api-reference'
import { encode } from './encoded.ts'

/**
 * The methods of a Fastify server that Scalar's plugin calls. The plugin offers Scalar's script only as a
 * route of a Fastify server, and the daemon has no such server. `referenceScript` therefore registers the
 * plugin with an object of this type, and calls the handler of the route. No smaller package has the whole
 * script.
 */
interface FastifyLike {
  route(route: { readonly url: string; handler(request: undefined, reply: Reply): unknown }): void
}

interface Reply {
  header(name: string, value: string): Reply
  send(body: string): void
}

type Plugin = (app: FastifyLike, options: object, done: () => void) => void

function referenceScript(): string {
  let script: string | undefined
  const reply: Reply = {
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

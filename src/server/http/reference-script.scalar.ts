import { parentPort } from 'node:worker_threads'
import fastifyApiReference from '@scalar/fastify-api-reference'
import { encode } from './encoded.ts'

/** Scalar's plugin offers its script only as a route of a Fastify server. This takes the place of the server. */
const app = {
  route({ url, handler }: { url: string; handler(request: undefined, reply: object): unknown }) {
    if (url.endsWith('.js')) handler(undefined, reply)
  },
}
const reply = {
  header: () => reply,
  send: async (script: string) => parentPort?.postMessage(await encode(script)),
}

fastifyApiReference(app as never, { configuration: { url: 'openapi.json' } }, () => {})

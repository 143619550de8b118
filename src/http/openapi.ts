import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import type { Param, Read } from '../reads/read.ts'
import { type Mount, mounts } from './routes/mounts.ts'

const errorBody = z.object({ error: z.string() })
const headers = {
  'x-bft-quorum': {
    description: 'Who stood behind the answer (RFC 9651 dictionary).',
    schema: { type: 'string' },
  },
  'x-bft-agreed': {
    description: 'The agreeing super validators (RFC 9651 list).',
    schema: { type: 'string' },
  },
  'cache-status': { description: 'RFC 9211.', schema: { type: 'string' } },
} as const

/** The whole surface, described: every mounted read and what the daemon says of itself. */
export function openApiDocument(version: string): unknown {
  const app = new OpenAPIHono()
  for (const mount of mounts) app.openAPIRegistry.registerPath(describe(mount))
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'bft-scan-proxy', version, description: 'Trusted reads of the Canton Network.' },
  })
}

function describe({ read, surface, method, template }: Mount): RouteConfig {
  const body = bodyOf(read, method)
  return {
    method: method === 'GET' ? 'get' : 'post',
    path: template,
    summary: read.summary,
    operationId: `${read.id}${template.replace(/\W+/g, '_')}`,
    tags: [surface],
    request: {
      params: paramsOf(read, 'path'),
      query: paramsOf(read, 'query'),
      ...(body === undefined ? {} : { body }),
    },
    responses: {
      200: {
        description: 'What a quorum agrees on.',
        headers,
        content: { 'application/json': { schema: z.object({}).loose() } },
      },
      400: errorResponse('A bad parameter or body.'),
      404: errorResponse('A quorum agrees that there is nothing.'),
      502: errorResponse('No group of equal replies reached the threshold.'),
      503: errorResponse('No roster of super validators yet.'),
    },
  }
}

function paramsOf({ params }: Read, place: Param['in']) {
  const shape = params
    .filter((param) => param.in === place)
    .map(({ name, schema, required }) => [name, required ? schema : schema.optional()] as const)
  return z.object(Object.fromEntries(shape))
}

function bodyOf({ cachedContract }: Read, method: Mount['method']) {
  if (method === 'GET' || cachedContract === undefined) return undefined
  const members = [cachedContract.field, ...cachedContract.alsoAllowed].map(
    (name) => [name, z.string().optional()] as const,
  )
  return { content: { 'application/json': { schema: z.object(Object.fromEntries(members)) } } }
}

function errorResponse(description: string) {
  return { description, content: { 'application/json': { schema: errorBody } } }
}

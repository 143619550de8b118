import { expect, test } from 'vitest'
import { createPublicApi } from '../../src/http/app.ts'
import { docsPage } from '../../src/http/docs-page.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { aboutPaths } from '../../src/http/routes/about.ts'
import { withoutLedgerApi } from '../../src/http/routes/ledger-api.ts'
import { type Mount, mounts } from '../../src/http/routes/mounts.ts'
import { nodeSpecificRoutes } from '../../src/http/routes/node-specific.ts'
import { withoutLedger } from '../../src/http/routes/route.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createEvents } from '../../src/telemetry/create-events.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { startStage } from '../support/daemon.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly { name: string; in: string; required?: boolean; description?: string }[]
  readonly requestBody?: { readonly required?: boolean }
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: object; readonly content?: Readonly<Record<string, { schema: object }>> }
    >
  >
}

const document = openApiDocument('1.2.3', withoutLedger, withoutLedgerApi) as unknown as {
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

function operationOf({ template, method }: Mount): Operation {
  const operation = document.paths[template]?.[method.toLowerCase()]
  if (operation === undefined) throw new Error(`${method} ${template} is not described`)
  return operation
}

test('/openapi.json lists every mounted route, and no other', () => {
  const clock = systemClock
  const { methods } = createPublicApi(
    { network: undefined, missesPerSecond: undefined },
    {
      reader: { answer: () => Promise.reject(new Error('nothing is read here')) },
      verifier: undefined,
      ledgerRoutes: undefined,
      ledgerApiRoutes: undefined,
      about: {
        version: '',
        versionTime: '',
        ready: () => true,
        quorumReachable: () => true,
        uptimeMs: () => 0,
      },
      clock,
      events: createEvents({
        metrics: createMetrics({ version: '', reads: [] }),
        logger: silentLogger,
        clock,
      }),
      logger: silentLogger,
    },
  )
  const mounted = [...methods].flatMap(([path, taken]) => taken.map((method) => `${method} ${path}`))
  const streams = withoutLedgerApi.filter(({ isStream }) => isStream).map(({ path }) => `GET ${path}`)
  expect(streams).toEqual(['GET /v2/updates', 'GET /v2/state/active-contracts'])
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual([...new Set([...mounted, ...streams])].sort())
  const others = aboutPaths.length + withoutLedger.length + withoutLedgerApi.length + streams.length + 2
  expect(described.length).toBe(mounts.length + nodeSpecificRoutes.length + others)
})

test('every operation has a name of its own, a sentence, and an answer', () => {
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { summary, responses } of operations) {
    expect(summary).toMatch(/\w.*[.;]/)
    expect(responses['200'] ?? responses['101'] ?? responses['501']).toBeDefined()
  }
})

test('every parameter is described where it is taken, and path parameters are required', () => {
  for (const mount of mounts) {
    const { read, template, method } = mount
    const { parameters = [], requestBody } = operationOf(mount)
    expect(parameters.map((parameter) => [parameter.name, parameter.in, parameter.description])).toEqual(
      read.params.map((param) => [param.name, param.in, param.description]),
    )
    for (const parameter of parameters) {
      const required = read.params.find(({ name }) => name === parameter.name)?.required
      expect(parameter.required ?? false, `${template} ${parameter.name}`).toBe(required)
    }
    expect(requestBody?.required ?? false).toBe(method === 'POST')
  }
})

test('reads name the headers of an agreed answer', () => {
  for (const mount of mounts) {
    const { responses } = operationOf(mount)
    expect(Object.keys(responses['200']?.headers ?? {})).toEqual(
      expect.arrayContaining(['x-bft-quorum', 'x-bft-agreed', 'etag', 'cache-status']),
    )
    for (const status of ['404', '429', '502', '503']) expect(responses[status]).toBeDefined()
  }
})

test('reads describe the reply that is voted on, and the proxy its own form where it has one', () => {
  for (const mount of mounts) {
    const { schema } = operationOf(mount).responses['200']?.content?.['application/json'] ?? { schema: {} }
    const own = mount.surface === 'proxy' && mount.read.proxy?.serve !== undefined
    const name = `${mount.read.id}Reply`
    expect(schema).toEqual(
      own
        ? expect.not.objectContaining({ $ref: expect.anything() })
        : { $ref: `#/components/schemas/${name}` },
    )
  }
  expect(document.components.schemas['lookupAnsEntryByNameReply']).toMatchObject({
    type: 'object',
    required: ['entry'],
    properties: { entry: { required: ['user', 'name', 'url', 'description'] } },
  })
})

test('/docs has every operation for people, and neither loads nor runs anything', async () => {
  await using stage = await startStage()
  const heard = await stage.get('/docs')
  expect(heard).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'unsafe-inline';/),
    },
  })
  const { paths } = JSON.parse((await stage.get('/openapi.json')).text) as typeof document
  for (const [path, methods] of Object.entries(paths))
    for (const method of Object.keys(methods))
      expect(heard.text).toContain(`<code>${method.toUpperCase()} ${path}</code>`)
  expect(heard.text).not.toMatch(/<script|<img|<link|\bsrc=|url\(/)
})

test('/docs shows texts as they are', () => {
  const operation = {
    operationId: 'x',
    summary: '<b> & "c"',
    tags: ['scan'],
    parameters: [{ name: 'p', in: 'query', description: '<i>' }],
    responses: { 200: { description: '<script>' } },
  }
  const info = { title: 't', version: '1', description: 'd' }
  const html = docsPage({ info, paths: { '/a/{b}': { get: operation } } })
  expect(html).toContain('<code>GET /a/{b}</code> <span>&#60;b&#62; &#38; &#34;c&#34;</span>')
  expect(html).not.toMatch(/<script>|<i>|<b>/)
})

test('the daemon serves the description', async () => {
  await using stage = await startStage()
  const heard = await stage.get('/openapi.json')
  expect(heard).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
  expect(JSON.parse(heard.text)).toMatchObject({ openapi: '3.1.0', paths: document.paths })
})

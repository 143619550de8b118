import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { examplesFile } from '../../.ci/generate-examples.ts'
import { spliceErrors } from '../../src/base/errors/splice.ts'
import { schemaOf } from '../../src/core/reads/schema.ts'
import { openApiDocument } from '../../src/server/http/openapi.ts'
import { aboutPaths } from '../../src/server/http/routes/about.ts'
import { withoutLedgerApi } from '../../src/server/http/routes/ledger-api.ts'
import { deprecatedRoutes } from '../../src/server/http/routes/ledger-deprecated.ts'
import { type Mount, mounts } from '../../src/server/http/routes/mounts.ts'
import { nodeSpecificRoutes } from '../../src/server/http/routes/node-specific.ts'
import { withoutLedger } from '../../src/server/http/routes/route.ts'
import { startEmbedded } from '../support/daemon.ts'
import { publicApi } from './public-api.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: object
      readonly example?: unknown
      readonly examples?: Readonly<Record<string, { readonly $ref: string }>>
    }
  >
>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly 'x-scalar-ignore'?: boolean
  readonly tags: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content }
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: Content }>>
}

const document = openApiDocument('1.2.3', withoutLedger, withoutLedgerApi) as unknown as {
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
    readonly securitySchemes: object
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
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
  const { methods } = publicApi({
    receipts: {
      labelFor: () => undefined,
      headersFor: () => undefined,
      requestDigest: () => undefined,
      listedKeys: () => [],
      document: () => undefined,
    },
  })
  const mounted = [...methods].flatMap(([path, taken]) => taken.map((method) => `${method} ${path}`))
  const streams = withoutLedgerApi.filter(({ isStream }) => isStream).map(({ path }) => `GET ${path}`)
  expect(streams).toEqual([
    'GET /v2/updates',
    'GET /v2/state/active-contracts',
    'GET /v2/commands/completions',
    'GET /v2/commands/command-completions',
  ])
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual([...new Set([...mounted, ...streams])].sort())
  const own = [
    mounts,
    nodeSpecificRoutes,
    aboutPaths,
    withoutLedger,
    withoutLedgerApi,
    deprecatedRoutes,
    streams,
  ]
  expect(described.length).toBe(own.flat().length + 5)
})

test('every operation has a name of its own, a short title, a sentence, and an answer', () => {
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(operations.length)
  expect(ids.filter((id) => !/^[a-z][a-zA-Z0-9]*$/.test(id))).toEqual([])
  expect(ids).toEqual(expect.arrayContaining(['getDsoInfo', 'proxyGetDsoInfo', 'validatorProxyGetDsoInfo']))
  for (const { summary, description, responses } of operations) {
    expect(summary).toMatch(/^[A-Z][\w ]{1,56}$/)
    expect(description).toMatch(/\w.*[.;]/)
    expect(responses['200'] ?? responses['101'] ?? responses['501'] ?? responses['400']).toBeDefined()
  }
})

test('the reference shows one path for each read, whose text names the others', () => {
  const shown = operations.filter((operation) => operation['x-scalar-ignore'] !== true)
  const served = shown.filter(({ tags }) => !tags.includes('not-served'))
  const titles = served.map(({ tags, summary }) => `${tags}: ${summary}`)
  expect(titles.filter((title, index) => titles.indexOf(title) < index)).toEqual([])
  const lookup = document.paths['/v0/scan-proxy/ans-entries/by-name/{name}']?.['get']
  expect(lookup?.summary).toBe('Look up ANS entry by name')
  expect(lookup?.description).toBe(
    'The entry registered under a name. Also at `/v0/ans-entries/by-name/{name}`, `/api/scan/v0/ans-entries/by-name/{name}`, `/api/validator/v0/scan-proxy/ans-entries/by-name/{name}`.',
  )
})

test('every error response lists the codes of the errors that have its status', () => {
  const described = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { headers = {} }]) => {
      const { schema } =
        (headers as Readonly<Record<string, { schema: { $ref: string } }>>)['x-bft-error'] ?? {}
      return schema === undefined ? [] : [{ status: Number(status), ref: schema.$ref }]
    }),
  )
  expect(described.length).toBeGreaterThan(mounts.length)
  for (const { status, ref } of described) {
    const rows = Object.entries(spliceErrors).filter(([, row]) => row.status === status)
    expect(rows.length).toBeGreaterThan(0)
    expect(document.components.schemas[ref.replace('#/components/schemas/', '')]).toEqual({
      type: 'string',
      enum: rows.map(([code]) => code),
    })
  }
})

test('reads have an example of each required parameter, of a body and of the answer', () => {
  for (const mount of mounts) {
    const { read, template } = mount
    const { parameters = [], requestBody, responses } = operationOf(mount)
    for (const { name, required, example } of parameters)
      if (required === true) expect(example, `${template} ${name}`).toBeDefined()
    if (read.body !== undefined) {
      const { example } = requestBody?.content?.['application/json'] ?? {}
      expect(schemaOf(read.body).safeParse(example).success, template).toBe(true)
    }
    const { examples } = responses['200']?.content?.['application/json'] ?? {}
    const name = examples?.['sample']?.$ref.replace('#/components/examples/', '') ?? ''
    const { value } = document.components.examples[name] ?? {}
    if (name === read.id) expect(schemaOf(read.reply).safeParse(value).success, template).toBe(true)
    else expect(value, template).toBeTypeOf('object')
  }
})

test('the examples are in step with the samples of the tests', async () => {
  const path = new URL('../../src/server/http/examples.ts', import.meta.url)
  expect(await readFile(path, 'utf8')).toBe(examplesFile())
})

test('the description has a server, chapters, and a security scheme for the operations that want a token', () => {
  const { servers, tags, components, paths } = document
  expect(new URL(servers[0]?.url ?? '', 'https://proxy.example/prefix/openapi.json').href).toBe(
    'https://proxy.example/prefix/',
  )
  const used = new Set(operations.flatMap((operation) => operation.tags))
  expect(tags.map(({ name }) => name).sort()).toEqual([...used].sort())
  expect(components.securitySchemes).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } })
  const lookup = '/v0/scan-proxy/ans-entries/by-name/{name}'
  expect(paths[lookup]?.['get']).not.toHaveProperty('security')
  const closed = openApiDocument('1.2.3', withoutLedger, withoutLedgerApi, true).paths
  expect(closed[lookup]?.['get']).toHaveProperty('security', [{ bearer: [] }])
  expect(closed['/api/scan/v0/ans-entries/by-name/{name}']?.['get']).not.toHaveProperty('security')
})

test('operations of the ledger want a token where they can answer that there is none', async () => {
  await using running = await startEmbedded()
  const { paths } = JSON.parse((await running.get('/openapi.json')).text) as typeof document
  const securityOf = (path: string, method: string) => paths[path]?.[method]?.security
  expect(securityOf('/v0/entry/create', 'post')).toEqual([{ bearer: [] }])
  expect(securityOf('/v2/state/ledger-end', 'get')).toEqual([{ bearer: [] }])
  expect(securityOf('/v2/version', 'get')).toBeUndefined()
})

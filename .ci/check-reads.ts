/**
 * Compares the table of reads with the published OpenAPI files:
 *
 *     node .ci/check-reads.ts <folder with apps/ and token-standard/>
 *
 * The daemon must serve every operation, or refuse it with a reason. An operation that it serves must have the
 * published method, path, parameters, body and reply. Prints each difference that no exception explains, and each
 * exception that explains nothing, and exits with 1 if there is one.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { pathOf } from '../src/core/reads/endpoint.ts'
import type { Read } from '../src/core/reads/read.ts'
import { schemaOf } from '../src/core/reads/schema.ts'
import { reads } from '../src/core/reads/table.ts'
import { aboutPaths } from '../src/server/http/routes/about.ts'
import { nodeSpecificRoutes } from '../src/server/http/routes/node-specific.ts'
import { samples } from '../test/reads/samples.ts'
import {
  anonymous,
  at,
  differences,
  fieldsOf,
  isFromTypes,
  type Operation,
  operationsIn,
  scanOperations,
} from './published.ts'

interface Exception {
  readonly difference: RegExp
  readonly why: string
}

const exceptionsForAnyRelease: readonly Exception[] = [
  {
    difference: /(?:the reply has no |\/)debug(?:PackageName|Payload|CreatedAt)\b/,
    why: 'they depend on the release that a scan runs, so that they are neither voted on nor served',
  },
  {
    difference:
      /^get(?:AcsSnapshotAtV2|HoldingsStateAtV2|LatestEventRecordTime): the API has no such |\/round_number is not in the API$/,
    why: 'releases of Splice after 0.7.5 have them',
  },
]

const ofOlderRelease: readonly Exception[] = [
  {
    difference: /: (?:the API|the operation) (?:has no|is called) /,
    why: 'the npm clients do not know it yet',
  },
  {
    difference:
      /\/v0\/(?:top-|aggregated-rounds|round-|rewards-collected|activities|transactions|reward-accounting-process).* is neither/,
    why: 'Splice no longer has these operations',
  },
]

const rows: readonly Read[] = Object.values(reads)

function rowOf({ method, path }: Operation): Read | undefined {
  return rows.find((row) => row.method === method && anonymous(pathOf(row)) === anonymous(path))
}

function isRefused({ method, path }: Operation): boolean {
  return nodeSpecificRoutes.some((row) => row.method === method && `/api/scan${row.scanPath}` === path)
}

function isAboutItself({ path }: Operation): boolean {
  return aboutPaths.some((about) => about.path === path)
}

function differencesOf(operation: Operation): readonly string[] {
  const { method, path, id } = operation
  const row = rowOf(operation)
  if (row === undefined) {
    return isRefused(operation) || isAboutItself(operation)
      ? []
      : [`${method} ${path} is neither served nor refused`]
  }
  const named = row.id === id || row.id === `${id}V2`
  return [
    ...(named ? [] : [`${row.id}: the operation is called ${id}`]),
    ...parameterDifferences(row, operation),
    ...bodyDifferences(row, operation),
    ...replyDifferences(row, operation),
  ]
}

interface Published {
  readonly name: string
  readonly in: string
  readonly required?: boolean
}

function parameterDifferences(row: Read, { node }: Operation): readonly string[] {
  const published = (node.value['parameters'] ?? []) as readonly Published[]
  const told = ({ name, in: place, required = false }: Published) =>
    `${place} parameter ${name}${required ? ', required' : ''}`
  return missingOrOther(row.id, row.params.map(told), published.map(told))
}

function missingOrOther(id: string, ours: readonly string[], theirs: readonly string[]): readonly string[] {
  return [
    ...theirs.filter((one) => !ours.includes(one)).map((one) => `${id}: there is no ${one}`),
    ...ours.filter((one) => !theirs.includes(one)).map((one) => `${id}: the API has no ${one}`),
  ]
}

function bodyMembersOf({ body, cachedContract, cachedContracts }: Read): readonly string[] {
  const cached = cachedContracts ?? cachedContract
  if (cached !== undefined) return cached.fields
  if (body === undefined) return []
  const { properties = {} } = z.toJSONSchema(schemaOf(body), { io: 'input', unrepresentable: 'any' })
  return Object.keys(properties)
}

function bodyDifferences(row: Read, { node }: Operation): readonly string[] {
  const schema = at(node, 'requestBody', 'content', 'application/json', 'schema')
  const theirs = schema === undefined ? [] : fieldsOf(schema, 1)
  const told = (name: string) => `member ${name} of the body`
  return missingOrOther(row.id, bodyMembersOf(row).map(told), theirs.map(told))
}

function replyDifferences(row: Read, { node }: Operation): readonly string[] {
  const schema = at(node, 'responses', '200', 'content', 'application/json', 'schema')
  if (schema === undefined) return [`${row.id}: the API declares no reply`]
  const sample = samples[row.id as keyof typeof samples].reply
  const ours = ourFields(
    z.toJSONSchema(schemaOf(row.reply), { io: 'output', unrepresentable: 'any' }) as Schema,
  )
  return [
    ...differences(sample, schema, row.id),
    ...fieldsOf(schema)
      .filter((field) => !ours.has(field))
      .map((field) => `${row.id}: the reply has no ${field}`),
  ]
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

function ourFields(schema: Schema, found = new Set<string>()): ReadonlySet<string> {
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [] } = schema
  for (const [name, inner] of Object.entries(properties)) {
    found.add(name)
    ourFields(inner, found)
  }
  const rest = typeof additionalProperties === 'object' ? [additionalProperties] : []
  for (const inner of [...rest, ...(items === undefined ? [] : [items]), ...anyOf, ...oneOf])
    ourFields(inner, found)
  return found
}

function proxyDifferences({ method, path, id }: Operation): readonly string[] {
  const row = rows.find(({ proxy }) => proxy?.method === method && anonymous(proxy.path) === anonymous(path))
  if (row === undefined) return [`${method} ${path} is not served`]
  return row.id === id ? [] : [`${row.id}: the scan proxy calls it ${id}`]
}

function main(folder: string): readonly string[] {
  const proxy = 'apps/validator/src/main/openapi/scan-proxy.yaml'
  if (!existsSync(join(folder, proxy))) return [`${join(folder, proxy)} is not there`]
  const operations = scanOperations(folder)
  const exceptions = exceptionsFor(folder)
  const found = [
    ...operations.flatMap(differencesOf),
    ...operationsIn(folder, proxy, '').flatMap(proxyDifferences),
    ...rows
      .filter((row) => !operations.some((operation) => rowOf(operation) === row))
      .map(({ id }) => `${id}: the API has no such operation`),
  ]
  const idle = exceptions.filter(({ difference }) => !found.some((one) => difference.test(one)))
  return [
    ...found.filter((one) => !exceptions.some(({ difference }) => difference.test(one))),
    ...idle.map(({ why }) => `this exception explains nothing: ${why}`),
  ]
}

function exceptionsFor(folder: string): readonly Exception[] {
  const isOlder = isFromTypes(resolve(folder, 'apps/scan/src/main/openapi/scan.yaml'))
  return isOlder ? [...exceptionsForAnyRelease, ...ofOlderRelease] : exceptionsForAnyRelease
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write(`usage: node ${join('.ci', 'check-reads.ts')} <folder of the published API files>\n`)
  process.exit(2)
}
const found = main(folder)
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? `the table of reads is as published, except where ${exceptionsFor(folder)
        .map(({ why }) => why)
        .join('; ')}\n`
    : `${found.length} differences from the published API\n`,
)
process.exitCode = found.length === 0 ? 0 : 1

/**
 * Holds every body that a healthy localnet serves against the published OpenAPI files:
 *
 *     node .ci/check-localnet.ts <folder with apps/scan/src/main/openapi/scan.yaml>
 *
 * Prints each difference and exits with 1 if there is one. Splice prints an absent optional field as null, so null
 * passes where the files let a field be absent.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { startLocalnet } from '../src/localnet/localnet.ts'
import { type Read, reads } from '../src/localnet/reads.ts'

type Yaml = { readonly [key: string]: unknown }

/** A part of a file: `$ref`s inside are relative to it. */
interface Node {
  readonly file: string
  readonly value: Yaml
}

const files = new Map<string, Yaml>()

function load(file: string): Yaml {
  const known = files.get(file) ?? (parse(readFileSync(file, 'utf8')) as Yaml)
  files.set(file, known)
  return known
}

function at(node: Node, ...path: readonly string[]): Node | undefined {
  let here: Node | undefined = node
  for (const key of path) {
    const value: unknown = here?.value[key]
    here = isObject(value) && here !== undefined ? resolved({ file: here.file, value }) : undefined
  }
  return here
}

function resolved({ file, value }: Node): Node {
  const { $ref: reference } = value
  if (typeof reference !== 'string') return { file, value }
  const [path = '', pointer = ''] = reference.split('#/')
  const target = path === '' ? file : resolve(dirname(file), path)
  const keys = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = at({ file: target, value: load(target) }, ...keys)
  if (found === undefined) throw new Error(`${file}: nothing is at ${reference}`)
  return found
}

function isObject(value: unknown): value is Yaml {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How a value differs from a schema: one sentence a difference, none where it fits. */
function differences(value: unknown, schema: Node, where: string): string[] {
  const { type, enum: allowed, format, oneOf, allOf } = schema.value
  if (Array.isArray(oneOf)) return oneOfDifferences(value, schema, oneOf, where)
  if (Array.isArray(allOf)) {
    return allOf.flatMap((part: Yaml) =>
      differences(value, resolved({ file: schema.file, value: part }), where),
    )
  }
  if (Array.isArray(allowed) && !allowed.includes(value)) return [`${where} is none of ${allowed.join(', ')}`]
  switch (type) {
    case 'object':
      return isObject(value) ? objectDifferences(value, schema, where) : [`${where} is no object`]
    case 'array': {
      const items = at(schema, 'items')
      if (!Array.isArray(value)) return [`${where} is no array`]
      return items === undefined
        ? []
        : value.flatMap((item, index) => differences(item, items, `${where}/${index}`))
    }
    case 'string':
      if (typeof value !== 'string') return [`${where} is no string`]
      return format === 'date-time' && Number.isNaN(Date.parse(value)) ? [`${where} is no time`] : []
    case 'integer':
      return Number.isInteger(value) ? [] : [`${where} is no integer`]
    case 'number':
      return typeof value === 'number' ? [] : [`${where} is no number`]
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${where} is no boolean`]
    default:
      return [`${where}: this check does not know the type ${String(type)}`]
  }
}

function oneOfDifferences(value: unknown, schema: Node, oneOf: readonly Yaml[], where: string): string[] {
  const each = oneOf.map((part) => differences(value, resolved({ file: schema.file, value: part }), where))
  const fitting = each.filter((found) => found.length === 0).length
  return fitting === 1 ? [] : [`${where} fits ${fitting} of ${oneOf.length} forms`, ...each.flat()]
}

function objectDifferences(value: Yaml, schema: Node, where: string): string[] {
  const required = (schema.value['required'] ?? []) as readonly string[]
  const properties = (schema.value['properties'] ?? {}) as Yaml
  const others = at(schema, 'additionalProperties')
  const found = required.filter((key) => !(key in value)).map((key) => `${where}/${key} is missing`)
  for (const [key, inner] of Object.entries(value)) {
    const property = at(schema, 'properties', key) ?? others
    if (property === undefined) {
      // An object without properties of its own, such as a contract's payload, may hold anything.
      if (Object.keys(properties).length > 0) found.push(`${where}/${key} is not in the API`)
    } else if (inner !== null || required.includes(key)) {
      found.push(...differences(inner, property, `${where}/${key}`))
    }
  }
  const absent = Object.keys(properties).filter((key) => !(key in value) && !required.includes(key))
  return [...found, ...absent.map((key) => `${where}/${key} is absent, where Splice says null`)]
}

interface Asked {
  readonly path: string
  readonly body?: string
}

interface Sample {
  readonly read: Read['id']
  readonly asked: readonly Asked[]
}

async function main(folder: string): Promise<readonly string[]> {
  const file = resolve(folder, 'apps/scan/src/main/openapi/scan.yaml')
  if (!existsSync(file)) return [`${file} is not there`]
  await using localnet = await startLocalnet({ superValidators: 4 })
  const [{ url, party } = { url: '', party: '' }] = localnet.superValidators
  const { ansRules, amuletRules } = localnet.world
  const alice = localnet.truth.entryByName('alice.unverified.cns')?.user ?? ''

  const cached = (key: string, id: string) => JSON.stringify({ [key]: id })
  const samples: readonly Sample[] = [
    { read: 'ans-entries', asked: [{ path: '?page_size=1000' }, { path: '?page_size=5&name_prefix=sv' }] },
    { read: 'by-name', asked: ['alice.unverified.cns', 'dso.cns', 'sv-1.sv.cns', 'nobody'].map(segment) },
    { read: 'by-party', asked: [alice, party, `nobody::1220${'0'.repeat(64)}`].map(segment) },
    {
      read: 'ans-rules',
      asked: ['{}', cached('cached_ans_rules_contract_id', ansRules.contract.contract_id)].map(posted),
    },
    {
      read: 'amulet-rules',
      asked: ['{}', cached('cached_amulet_rules_contract_id', amuletRules.contract.contract_id)].map(posted),
    },
    ...(
      [
        'dso-party-id',
        'dso',
        'scans',
        'splice-instance-names',
        'version',
        'status',
        'livez',
        'readyz',
      ] as const
    ).map((read): Sample => ({ read, asked: [{ path: '' }] })),
  ]

  const spec: Node = { file, value: load(file) }
  const unsampled = reads.filter(({ id }) => !samples.some(({ read }) => read === id))
  const found = unsampled.map(({ id }) => `${id}: this check asks nothing of it`)
  for (const { read: id, asked } of samples) {
    for (const one of asked) found.push(...(await check(spec, url, id, one)))
  }
  return found
}

function segment(text: string): Asked {
  return { path: encodeURIComponent(text) }
}

function posted(body: string): Asked {
  return { path: '', body }
}

async function check(spec: Node, url: string, id: Read['id'], { path, body }: Asked): Promise<string[]> {
  const read = reads.find((row) => row.id === id)
  if (read === undefined) return [`${id} is no read`]
  const target = path.startsWith('?') ? `${read.path}${path}` : read.path.replace('{}', path)
  const operation = at(spec, 'paths', publishedPath(spec, read), read.method.toLowerCase())
  if (operation === undefined) return [`${id}: the API has no ${read.method} ${read.path}`]
  const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  const response = await fetch(`${url}${target}`, { method: read.method, ...init })
  const declared = at(operation, 'responses', String(response.status))
  const where = `${read.method} ${target} ${response.status}`
  if (declared === undefined) return [`${where}: the API does not declare the status`]
  const text = await response.text()
  const schema = at(declared, 'content', 'application/json', 'schema')
  if (schema === undefined) return text === '' ? [] : [`${where}: the API declares no body`]
  try {
    return differences(JSON.parse(text), schema, where)
  } catch (error) {
    return [`${where}: ${String(error)}`]
  }
}

/** The path as the file has it, with a parameter's name where ours has `{}`. */
function publishedPath(spec: Node, read: Read): string {
  const path = read.path.replace('/api/scan', '')
  const paths = Object.keys(at(spec, 'paths')?.value ?? {})
  return paths.find((published) => published.replaceAll(/\{[^}]*\}/g, '{}') === path) ?? path
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write(
    `usage: node ${join('.ci', 'check-localnet.ts')} <folder of the published API files>\n`,
  )
  process.exit(2)
}
const found = await main(folder)
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? 'every body of the localnet is as published\n'
    : `${found.length} differences from the published API\n`,
)
process.exitCode = found.length === 0 ? 0 : 1

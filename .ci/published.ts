/** Reads published OpenAPI files, and lists how a value differs from what they describe. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'

export type Yaml = { readonly [key: string]: unknown }

/** A part of a file. The `$ref`s in `value` are relative to `file`. */
export interface Node {
  readonly file: string
  readonly value: Yaml
}

const files = new Map<string, Yaml>()

export function load(file: string): Yaml {
  const known = files.get(file) ?? (parse(readFileSync(file, 'utf8')) as Yaml)
  files.set(file, known)
  return known
}

/** Returns the part of a file at a path of keys, and follows `$ref`s. Undefined if the file has no such part. */
export function at(node: Node, ...path: readonly string[]): Node | undefined {
  let here: Node | undefined = node
  for (const key of path) {
    const value: unknown = here?.value[key]
    here = isObject(value) && here !== undefined ? resolved({ file: here.file, value }) : undefined
  }
  return here
}

export function resolved({ file, value }: Node): Node {
  const { $ref: reference } = value
  if (typeof reference !== 'string') return { file, value }
  const [path = '', pointer = ''] = reference.split('#/')
  const target = path === '' ? file : resolve(dirname(file), path)
  const keys = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = at({ file: target, value: load(target) }, ...keys)
  if (found === undefined) throw new Error(`${file}: nothing is at ${reference}`)
  return found
}

export function isObject(value: unknown): value is Yaml {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function differences(value: unknown, schema: Node, where: string): string[] {
  const { type, enum: allowed, format, oneOf, allOf } = schema.value
  if (Array.isArray(oneOf)) return oneOfDifferences(value, schema, oneOf, where)
  if (Array.isArray(allOf)) return differences(value, mergedAllOf(schema, allOf), where)
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
    case undefined:
      // A schema without a type stands for a Daml value, and any JSON fits.
      return []
    default:
      return [`${where}: this check does not know the type ${String(type)}`]
  }
}

function mergedAllOf({ file }: Node, allOf: readonly Yaml[]): Node {
  const parts = allOf.map((part) => {
    const { value, file: own } = resolved({ file, value: part })
    const nested = value['allOf']
    return Array.isArray(nested) ? mergedAllOf({ file: own, value }, nested).value : value
  })
  const properties = Object.assign({}, ...parts.map((part) => part['properties'] ?? {}))
  const required = parts.flatMap((part) => (part['required'] ?? []) as readonly string[])
  return { file, value: { type: 'object', properties, required } }
}

function formNamedByDiscriminator(value: unknown, { file, value: schema }: Node): Node | undefined {
  const { propertyName, mapping = {} } = (schema['discriminator'] ?? {}) as {
    readonly propertyName?: string
    readonly mapping?: Readonly<Record<string, string>>
  }
  if (propertyName === undefined || !isObject(value)) return undefined
  const reference = mapping[String(value[propertyName])]
  return reference === undefined ? undefined : resolved({ file, value: { $ref: reference } })
}

function oneOfDifferences(value: unknown, schema: Node, oneOf: readonly Yaml[], where: string): string[] {
  const named = formNamedByDiscriminator(value, schema)
  if (named !== undefined) return differences(value, named, where)
  const each = oneOf.map((part) => differences(value, resolved({ file: schema.file, value: part }), where))
  const fitting = each.filter((found) => found.length === 0).length
  return fitting === 1 ? [] : [`${where} fits ${fitting} of ${oneOf.length} forms`, ...each.flat()]
}

/**
 * The only optional field that Splice leaves out when it has no value. Splice writes every other optional field as
 * null.
 */
const leftOut = new Set(['external_transaction_hash'])

function objectDifferences(value: Yaml, schema: Node, where: string): string[] {
  const required = (schema.value['required'] ?? []) as readonly string[]
  const properties = (schema.value['properties'] ?? {}) as Yaml
  const others = at(schema, 'additionalProperties')
  const found = required.filter((key) => !(key in value)).map((key) => `${where}/${key} is missing`)
  for (const [key, inner] of Object.entries(value)) {
    const property = at(schema, 'properties', key) ?? others
    if (property === undefined) {
      // An object type that lists no properties, such as a contract's payload, permits any content.
      if (Object.keys(properties).length > 0 && !isFromTypes(schema.file))
        found.push(`${where}/${key} is not in the API`)
    } else if (inner !== null || required.includes(key)) {
      found.push(...differences(inner, property, `${where}/${key}`))
    }
  }
  const absent = Object.keys(properties).filter(
    (key) => !(key in value) && !required.includes(key) && !leftOut.has(key),
  )
  return [...found, ...absent.map((key) => `${where}/${key} is absent, where the server says null`)]
}

export const scanFile = 'apps/scan/src/main/openapi/scan.yaml'

const tokenRegistry = [
  'splice-api-token-metadata-v1/openapi/token-metadata-v1.yaml',
  'splice-api-token-transfer-instruction-v1/openapi/transfer-instruction-v1.yaml',
  'splice-api-token-transfer-instruction-v2/openapi/transfer-instruction-v2.yaml',
  'splice-api-token-allocation-v1/openapi/allocation-v1.yaml',
  'splice-api-token-allocation-v2/openapi/allocation-v2.yaml',
  'splice-api-token-allocation-instruction-v1/openapi/allocation-instruction-v1.yaml',
  'splice-api-token-allocation-instruction-v2/openapi/allocation-instruction-v2.yaml',
] as const

export interface Operation {
  readonly method: 'GET' | 'POST'
  /** The path, with the base path of its API in front. Parameters have the names that the file gives them. */
  readonly path: string
  readonly id: string
  readonly node: Node
  readonly file: string
}

export function operationsIn(folder: string, name: string, base: string): readonly Operation[] {
  const file = resolve(folder, name)
  const root: Node = { file, value: load(file) }
  const paths = Object.keys(root.value['paths'] ?? {})
  return paths.flatMap((path) =>
    (['get', 'post'] as const).flatMap((method): Operation[] => {
      const node = at(root, 'paths', path, method)
      if (node === undefined) return []
      const id = String(node.value['operationId'])
      return [{ method: method === 'get' ? 'GET' : 'POST', path: `${base}${path}`, id, node, file: name }]
    }),
  )
}

/**
 * Returns the operations of the Scan API and of the token registry. Files made from the npm clients lack the registry's
 * second version.
 */
export function scanOperations(folder: string): readonly Operation[] {
  const isOlder = isFromTypes(resolve(folder, scanFile))
  const known = tokenRegistry.filter(
    (name) => !isOlder || existsSync(resolve(folder, 'token-standard', name)),
  )
  return [
    ...operationsIn(folder, scanFile, '/api/scan'),
    ...known.flatMap((name) => operationsIn(folder, join('token-standard', name), '')),
  ]
}

/**
 * Whether `write-client-types.ts` wrote the file. Then the file describes the older release of the npm clients, and may
 * lack operations and fields.
 */
export function isFromTypes(file: string): boolean {
  return load(file)['x-from-types'] === true
}

/** Returns a path without the names of its parameters, such as `/by-name/{}`. */
export function anonymous(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}')
}

export function fieldsOf(schema: Node, depth = Number.POSITIVE_INFINITY): readonly string[] {
  const names = new Set<string>()
  collect(schema, depth, names, new Set())
  return [...names]
}

function collect(node: Node, depth: number, names: Set<string>, seen: Set<Yaml>): void {
  const { value, file } = node
  if (depth === 0 || seen.has(value)) return
  seen.add(value)
  const part = (inner: Yaml) => resolved({ file, value: inner })
  for (const key of ['oneOf', 'allOf', 'anyOf']) {
    const parts = value[key]
    if (Array.isArray(parts))
      for (const inner of parts as readonly Yaml[]) collect(part(inner), depth, names, seen)
  }
  for (const [name, inner] of Object.entries((value['properties'] ?? {}) as Readonly<Record<string, Yaml>>)) {
    names.add(name)
    collect(part(inner), depth - 1, names, seen)
  }
  for (const key of ['items', 'additionalProperties']) {
    const inner = at(node, key)
    if (inner !== undefined) collect(inner, depth, names, seen)
  }
}

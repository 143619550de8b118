/** Reads published OpenAPI files, and says how a value differs from what they describe. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'

export type Yaml = { readonly [key: string]: unknown }

/** A part of a file: `$ref`s inside are relative to it. */
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

export function at(node: Node, ...path: readonly string[]): Node | undefined {
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
export function differences(value: unknown, schema: Node, where: string): string[] {
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
    case undefined:
      // Whatever it is: a Daml value.
      return []
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
  return [...found, ...absent.map((key) => `${where}/${key} is absent, where the server says null`)]
}

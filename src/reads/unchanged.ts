import { z } from 'zod'
import { isJsonObject } from '../lib/canonical-json.ts'

/** Whether a value of JSON is one that its schema gives as it is: false where it does not fit, and where that is not known. */
export type Unchanged = (value: unknown) => boolean

type Schema = z.core.$ZodType

/** Of whatever is not looked at here: the schema itself has to be asked. */
const unknown: Unchanged = () => false

/**
 * Looks at a value without making another of it: what a schema gives would be equal, so it need not be made. A value that
 * has members which the schema drops or fills in is not unchanged; members in another order than the schema's are.
 */
export function unchangedBy(schema: Schema): Unchanged {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const checks = (def.checks ?? []).map(checkOf)
  if (checks.length === 0) return ofType(schema)
  const fits = ofType(schema)
  return (value) => fits(value) && checks.every((check) => check(value))
}

function ofType(schema: Schema): Unchanged {
  const { def, values } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return members(def.shape)
    case 'array':
      return elements(unchangedBy(def.element))
    case 'record':
      return isAnyText(def.keyType) ? valuesOf(unchangedBy(def.valueType)) : unknown
    case 'union':
      if ('discriminator' in def) return any(def.options)
      return def.inclusive === false ? unknown : first(def.options)
    case 'nullable': {
      const inner = unchangedBy(def.innerType)
      return (value) => value === null || inner(value)
    }
    case 'optional':
    case 'default':
      return unchangedBy(def.innerType)
    case 'string':
      return 'format' in def ? unknown : isText
    case 'number':
      return 'format' in def ? (def.format === 'safeint' ? Number.isSafeInteger : unknown) : Number.isFinite
    case 'boolean':
      return isBoolean
    case 'null':
      return isNull
    case 'enum':
    case 'literal':
      return values === undefined ? unknown : (value) => values.has(value as z.core.util.Literal)
    case 'custom':
      return checkOf(schema as z.core.$ZodCustom)
    default:
      return unknown
  }
}

/** A check that is neither a plain predicate nor known here might change the value. */
function checkOf({ _zod: { def } }: z.core.$ZodCheck<never> | z.core.$ZodCustom): Unchanged {
  if (def.check === 'max_length') {
    const { maximum } = def as z.core.$ZodCheckMaxLengthDef
    return (value) => (value as string | readonly unknown[]).length <= maximum
  }
  if (!('fn' in def) || typeof def.fn !== 'function' || def.when !== undefined) return unknown
  const { fn } = def
  return (value) => fn(value) === true
}

function members(shape: Readonly<Record<string, Schema>>): Unchanged {
  const keys = Object.keys(shape)
  const places = new Map(keys.map((key, at) => [key, at]))
  const fits = keys.map((key) => unchangedBy(shape[key] as Schema))
  const required = keys.map((key) => (mayBeAbsent(shape[key] as Schema) ? 0 : 1))
  const needed = required.filter((one) => one === 1).length
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    let next = 0
    let found = 0
    for (const key in value) {
      const at = keys[next] === key ? next : (places.get(key) ?? -1)
      if (fits[at]?.((value as Record<string, unknown>)[key]) !== true) return false
      found += required[at] as number
      next = at + 1
    }
    return found === needed
  }
}

/** A default is given for what is absent, which changes it. */
function mayBeAbsent(schema: Schema): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'optional' && def.innerType._zod.optin !== 'defaulted'
}

function elements(fits: Unchanged): Unchanged {
  return (value) => {
    if (!Array.isArray(value)) return false
    for (const element of value) if (!fits(element)) return false
    return true
  }
}

/** A record is given without a member of this name. */
const dropped = '__proto__'

function valuesOf(fits: Unchanged): Unchanged {
  return (value) => {
    if (!isJsonObject(value)) return false
    for (const key in value) if (key === dropped || !fits(value[key])) return false
    return true
  }
}

function isAnyText(schema: Schema): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'string' && !('format' in def) && (def.checks ?? []).length === 0
}

/** What tells them apart is different in each. */
function any(options: readonly Schema[]): Unchanged {
  const all = options.map(unchangedBy)
  return (value) => {
    for (const fits of all) if (fits(value)) return true
    return false
  }
}

/** The first that fits is the one that gives the value. */
function first(options: readonly Schema[]): Unchanged {
  const all = options.map((schema) => ({ schema, fits: unchangedBy(schema) }))
  return (value) => {
    for (const { schema, fits } of all) {
      if (fits(value)) return true
      if (z.safeParse(schema, value).success) return false
    }
    return false
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isNull(value: unknown): boolean {
  return value === null
}

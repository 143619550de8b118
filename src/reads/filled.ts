import type { z } from 'zod'

/** Whether a value has members that the body it was read from left out. */
export type Filled = (body: unknown, value: unknown) => boolean

type Members = Readonly<Record<string, unknown>>

/**
 * Looks where a schema fills in defaults, and nowhere else: most of a large body has none.
 * @returns undefined where there are none.
 */
export function filledBy(schema: z.core.$ZodType): Filled | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return filledMembers(def.shape)
    case 'array':
      return each(filledBy(def.element), (value) => (Array.isArray(value) ? value.keys() : []))
    case 'record':
      return each(filledBy(def.valueType), (value) => (isMembers(value) ? Object.keys(value) : []))
    case 'union':
      return any(def.options.map(filledBy))
    case 'nullable':
    case 'optional':
    case 'default':
      return filledBy(def.innerType)
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'enum':
    case 'literal':
    case 'custom':
      return undefined
    default:
      throw new TypeError(`no reply is read by a ${def.type}`)
  }
}

function filledMembers(shape: Readonly<Record<string, z.core.$ZodType>>): Filled | undefined {
  const defaults = Object.keys(shape).filter((key) => shape[key]?._zod.def.type === 'default')
  const inner = Object.entries(shape).flatMap(([key, schema]) => {
    const filled = filledBy(schema)
    return filled === undefined ? [] : [{ key, filled }]
  })
  if (defaults.length === 0 && inner.length === 0) return undefined
  return (body, value) => {
    if (!isMembers(body) || !isMembers(value)) return false
    for (const key of defaults) if (Object.hasOwn(value, key) && !Object.hasOwn(body, key)) return true
    for (const { key, filled } of inner) if (filled(body[key], value[key])) return true
    return false
  }
}

function each(
  filled: Filled | undefined,
  keysOf: (value: unknown) => Iterable<PropertyKey>,
): Filled | undefined {
  if (filled === undefined) return undefined
  return (body, value) => {
    for (const key of keysOf(value))
      if (filled((body as Members)[key as string], (value as Members)[key as string])) return true
    return false
  }
}

function any(all: readonly (Filled | undefined)[]): Filled | undefined {
  const some = all.filter((filled) => filled !== undefined)
  if (some.length === 0) return undefined
  return (body, value) => some.some((filled) => filled(body, value))
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

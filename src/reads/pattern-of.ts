import type { z } from 'zod'
import { decimalText } from './decimal.ts'
import { isInstant, timeText } from './instant.ts'
import { isParty } from './party.ts'
import { freeForms, inOrder, type Leaf, leaves, type Pattern, type Plain } from './pattern.ts'
import { payloadInOneText } from './payload.ts'

type Schema = z.core.$ZodType

export type Further = (schema: Schema) => Pattern | undefined

/**
 * Derives a pattern from a schema. Supports only the zod types that the table of reads uses.
 * @param further is called first for each schema, even a nested one. If it returns a pattern, that
 * pattern is used.
 * @throws TypeError if a schema is not supported.
 */
export function patternOf(schema: Schema, further: Further = () => undefined): Pattern {
  const known = further(schema)
  if (known !== undefined) return known
  const { def } = (schema as z.core.$ZodTypes)._zod
  return (def.checks ?? []).reduce<Pattern>(withCheck, ofType(schema, further))
}

function ofType(schema: Schema, further: Further): Pattern {
  const { def, values } = (schema as z.core.$ZodTypes)._zod
  const inner = (one: Schema) => patternOf(one, further)
  switch (def.type) {
    case 'object':
      if (def.catchall !== undefined) throw new TypeError('an object drops the members that it does not name')
      return { object: Object.fromEntries(Object.entries(def.shape).map(([key, one]) => [key, inner(one)])) }
    case 'array':
      return { list: inner(def.element) }
    case 'record':
      if (inner(def.keyType) !== 'string') throw new TypeError('a record has any texts as its keys')
      return { record: inner(def.valueType) }
    case 'union':
      if (!('discriminator' in def) && def.inclusive === false)
        throw new TypeError('a union gives the first of its kinds that fits')
      return { firstOf: def.options.map(inner) }
    case 'nullable':
      return { nullable: inner(def.innerType) }
    case 'optional':
      if (def.innerType._zod.optin === 'defaulted') throw new TypeError('a default is no optional member')
      return { optional: inner(def.innerType) }
    case 'default':
      return { default: plain(def.defaultValue), of: inner(def.innerType) }
    case 'string':
      return ofFormat('string', 'format' in def)
    case 'number':
      return 'format' in def ? ofFormat('integer', def.format !== 'safeint') : 'number'
    case 'boolean':
    case 'null':
      return def.type
    case 'enum':
    case 'literal':
      return { oneOf: [...(values ?? [])].map(plain) }
    case 'custom':
      return leafOf(def.fn)
    default:
      throw new TypeError(`no pattern has a ${def.type}`)
  }
}

function ofFormat(leaf: Leaf, isOther: boolean): Leaf {
  if (isOther) throw new TypeError('no pattern has a format')
  return leaf
}

function withCheck(of: Pattern, check: z.core.$ZodCheck<never>): Pattern {
  const def = check._zod.def as z.core.$ZodCheckDef & { readonly when?: unknown; readonly fn?: unknown }
  if (def.check === 'max_length') return { atMost: (def as z.core.$ZodCheckMaxLengthDef).maximum, of }
  if (def.check === 'min_length') return { atLeast: (def as z.core.$ZodCheckMinLengthDef).minimum, of }
  if (def.check === 'number_format' && (def as z.core.$ZodCheckNumberFormatDef).format === 'safeint')
    return 'integer'
  if (def.check === 'overwrite') return rewritten(of, (def as z.core.$ZodCheckOverwriteDef).tx)
  if (of !== 'string' || def.fn === undefined || def.when !== undefined)
    throw new TypeError(`no pattern is checked by ${def.check}`)
  return leafOf(def.fn)
}

function rewritten(of: Pattern, tx: unknown): Pattern {
  if (typeof tx === 'function' && 'constant' in tx) return { constant: plain(tx.constant), of }
  if (of === 'instant' && tx === timeText) return 'time'
  if (of === 'string' && tx === decimalText) return 'decimal'
  if (typeof of === 'object' && 'list' in of && of.list === 'string' && tx === inOrder)
    return { set: of.list }
  if (typeof of === 'object' && 'object' in of && tx === payloadInOneText) return { contract: of }
  throw new TypeError('no pattern is rewritten so')
}

const named = new Map<unknown, Leaf>([
  [isInstant, 'instant'],
  [isParty, 'party'],
  ...[...freeForms].map((leaf): [unknown, Leaf] => [leaves[leaf], leaf]),
])

function leafOf(predicate: unknown): Leaf {
  const leaf = named.get(predicate)
  if (leaf === undefined) throw new TypeError('no pattern has this predicate')
  return leaf
}

function plain(value: unknown): Plain {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as Plain
  throw new TypeError('a pattern holds only plain values')
}

import { z } from 'zod'
import { canonicalInstant, isInstant, timeText } from './instant.ts'
import { decimalText, inOrder, isParty, type Leaf, leaves, parseParty } from './leaves.ts'
import { checkedSize, rejectToken } from './param-text.ts'
import type { Pattern } from './pattern.ts'
import { payloadInOneText, type WithPayload } from './payload.ts'

const schemas = new WeakMap<object, z.ZodType>()

/** Returns the schema of a pattern: for bodies of callers, whose errors it words, and for OpenAPI. */
export function schemaOf(pattern: Pattern): z.ZodType {
  if (typeof pattern === 'string') return ofLeaves[pattern] ?? z.custom(leaves[pattern])
  const schema = schemas.get(pattern) ?? made(pattern)
  schemas.set(pattern, schema)
  return schema
}

function made(pattern: Exclude<Pattern, Leaf>): z.ZodType {
  if ('object' in pattern)
    return z.object(
      Object.fromEntries(Object.entries(pattern.object).map(([key, of]) => [key, schemaOf(of)])),
    )
  if ('list' in pattern) return z.array(schemaOf(pattern.list))
  if ('set' in pattern) return z.array(schemaOf(pattern.set) as z.ZodType<string>).overwrite(inOrder)
  if ('record' in pattern) return z.record(z.string(), schemaOf(pattern.record))
  if ('contract' in pattern)
    return (schemaOf(pattern.contract) as z.ZodType<WithPayload>).overwrite(payloadInOneText)
  if ('nullable' in pattern) return schemaOf(pattern.nullable).nullable()
  if ('optional' in pattern) return schemaOf(pattern.optional).optional()
  if ('default' in pattern) return schemaOf(pattern.of).default(pattern.default)
  if ('constant' in pattern) return schemaOf(pattern.of).overwrite(() => pattern.constant)
  if ('firstOf' in pattern) return ofKinds(pattern.firstOf.map(schemaOf), pattern.tag)
  if ('oneOf' in pattern) return ofTexts(pattern.oneOf as string[])
  if ('atMost' in pattern) return (schemaOf(pattern.of) as z.ZodString).max(pattern.atMost)
  if ('atLeast' in pattern)
    return (schemaOf(pattern.of) as z.ZodArray).min(pattern.atLeast, 'at least one party is needed')
  if ('choice' in pattern)
    return (schemaOf(pattern.choice) as z.ZodType<string[]>).transform((all) => [...new Set(all)].sort())
  if ('refused' in pattern)
    return z
      .unknown()
      .optional()
      .transform((token) =>
        token === undefined || token === null ? undefined : rejectToken(pattern.refused),
      )
  const { maybe, otherwise, always } = pattern
  return schemaOf(maybe)
    .nullish()
    .transform((value) => always ?? value ?? otherwise)
}

function ofTexts(texts: string[]): z.ZodType {
  return texts.length === 1 ? z.literal(texts) : z.enum(texts)
}

function ofKinds(kinds: z.ZodType[], tag: string | undefined): z.ZodType {
  return tag === undefined ? z.union(kinds) : z.discriminatedUnion(tag, kinds as [z.ZodObject])
}

const ofLeaves: Readonly<Partial<Record<Leaf, z.ZodType>>> = {
  string: z.string(),
  boolean: z.boolean(),
  integer: z.int(),
  'page size': z.int().transform(checkedSize),
  time: z.string().refine(isInstant).overwrite(timeText),
  decimal: z.string().overwrite(decimalText),
  instant: z
    .string()
    .refine(isInstant, 'not a time of ISO 8601 with its offset')
    .transform((text) => canonicalInstant(text) ?? text),
  party: z.string().refine(isParty, 'not a party id'),
  'one party': z.string().transform(parseParty),
  'open object': z.looseObject({}),
}

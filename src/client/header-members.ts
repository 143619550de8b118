import {
  type FieldMember,
  MalformedField,
  parseDictionary,
  parseList,
} from '../base/lib/structured-fields.ts'

interface ValueTypes {
  readonly integer: number
  readonly date: number
  readonly token: string
  readonly boolean: boolean
  readonly bytes: Uint8Array
}

/**
 * An RFC 9651 dictionary. The methods throw `MalformedField` if a member has another type; all but
 * `optional` also throw if the member is absent.
 */
export class Members {
  readonly #members: ReadonlyMap<string, FieldMember>

  constructor(header: string) {
    this.#members = parseDictionary(header)
  }

  value<Type extends keyof ValueTypes>(key: string, type: Type): ValueTypes[Type] {
    const value = this.optional(key, type)
    if (value === undefined) throw new MalformedField(`${key} is missing`)
    return value
  }

  optional<Type extends keyof ValueTypes>(key: string, type: Type): ValueTypes[Type] | undefined {
    const member = this.#members.get(key)
    if (member === undefined) return undefined
    if ('items' in member || member.bare.type !== type) throw new MalformedField(`${key} is no ${type}`)
    return member.bare.value as unknown as ValueTypes[Type]
  }

  count(key: string): number {
    const value = this.value(key, 'integer')
    if (value < 0) throw new MalformedField(`${key} is negative`)
    return value
  }
}

/** @throws MalformedField if the header is no list of strings. */
export function namesIn(header: string): readonly string[] {
  return parseList(header).map((member) => {
    if ('items' in member || !('value' in member.bare)) throw new MalformedField('a name is a list')
    const { type, value } = member.bare
    if (type !== 'string' && type !== 'display') throw new MalformedField('a name is no string')
    return value
  })
}

/** Returns undefined if a header is malformed. */
export function unlessMalformed<Parsed>(parse: () => Parsed): Parsed | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof MalformedField) return undefined
    throw error
  }
}

/**
 * Converts the types of a published npm client back into OpenAPI. openapi-typescript made these types from an OpenAPI
 * file. The result has the paths, parameters, bodies, replies and schemas of that file. It lacks formats and default
 * values, because the types lack them.
 */
import type { Yaml } from './published.ts'

interface Members {
  readonly members: ReadonlyMap<string, Type>
  readonly required: readonly string[]
  /** `T` in `[key: string]: T`. */
  readonly others?: Type
}

type Type =
  | { readonly kind: 'object'; readonly of: Members }
  | { readonly kind: 'reference'; readonly keys: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'array'; readonly of: Type }
  | { readonly kind: 'union' | 'intersection'; readonly of: readonly Type[] }
  | { readonly kind: 'word'; readonly word: string }

const token = /\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w$]+|[^\s\w]/g

export function documentOf(declarations: string): Yaml {
  const parser = new Parser(declarations)
  const paths = parser.interfaceNamed('paths')
  const operations = parser.interfaceNamed('operations')
  const components = parser.interfaceNamed('components')
  return {
    'x-from-types': true,
    paths: mapped(paths.members, (item) => pathItemOf(membersOf(item), operations)),
    components: {
      schemas: mapped(membersAt(components, 'schemas').members, schemaOf),
      responses: mapped(membersAt(components, 'responses').members, contentOf),
    },
  }
}

class Parser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#tokens = (text.match(token) ?? []).filter((one) => !one.startsWith('/*'))
  }

  interfaceNamed(name: string): Members {
    this.#at = this.#tokens.findIndex((one, at) => one === 'interface' && this.#tokens[at + 1] === name) + 2
    if (this.#at === 1) throw new Error(`the types declare no interface ${name}`)
    return this.#members()
  }

  #members(): Members {
    const members = new Map<string, Type>()
    const required: string[] = []
    let others: Type | undefined
    this.#take('{')
    while (!this.#skips('}')) {
      if (this.#skips('[')) {
        while (!this.#skips(']')) this.#at++
        this.#take(':')
        others = this.#union()
      } else {
        const name = unquoted(this.#next())
        if (!this.#skips('?')) required.push(name)
        this.#take(':')
        members.set(name, this.#union())
      }
      this.#skips(';')
    }
    return { members, required, ...(others === undefined ? {} : { others }) }
  }

  #union(): Type {
    this.#skips('|')
    const of = [this.#intersection()]
    while (this.#skips('|')) of.push(this.#intersection())
    return of.length === 1 ? (of[0] as Type) : { kind: 'union', of }
  }

  #intersection(): Type {
    const of = [this.#postfix()]
    while (this.#skips('&')) of.push(this.#postfix())
    return of.length === 1 ? (of[0] as Type) : { kind: 'intersection', of }
  }

  #postfix(): Type {
    let type = this.#primary()
    while (this.#skips('[')) {
      this.#take(']')
      type = { kind: 'array', of: type }
    }
    return type
  }

  #primary(): Type {
    if (this.#tokens[this.#at] === '{') return { kind: 'object', of: this.#members() }
    if (this.#skips('(')) {
      const type = this.#union()
      this.#take(')')
      return type
    }
    const word = this.#next()
    if (/^['"]/.test(word)) return { kind: 'literal', value: unquoted(word) }
    if (/^\d+$/.test(word)) return { kind: 'literal', value: Number(word) }
    if (word === 'Record') return this.#record()
    if (word === 'Omit') return this.#omit()
    const keys = [word]
    while (this.#tokens[this.#at] === '[' && /^['"]/.test(this.#tokens[this.#at + 1] ?? '')) {
      this.#take('[')
      keys.push(unquoted(this.#next()))
      this.#take(']')
    }
    return keys.length === 1 ? { kind: 'word', word } : { kind: 'reference', keys }
  }

  /** Parses `Record<string, never>`, which openapi-typescript writes for an object that may have any members. */
  #record(): Type {
    while (!this.#skips('>')) this.#at++
    return { kind: 'object', of: { members: new Map(), required: [] } }
  }

  /**
   * Parses `Omit<T, 'kind'>` as `T`. Nothing is lost, because the types intersect the `Omit` with an object that has
   * `kind` as a constant.
   */
  #omit(): Type {
    this.#take('<')
    const type = this.#union()
    while (!this.#skips('>')) this.#at++
    return type
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? ''
  }

  #skips(word: string): boolean {
    if (this.#tokens[this.#at] !== word) return false
    this.#at++
    return true
  }

  #take(word: string): void {
    if (!this.#skips(word))
      throw new Error(`the types have ${this.#tokens[this.#at]} in the place of ${word}`)
  }
}

function unquoted(text: string): string {
  return text.replaceAll(/^['"]|['"]$/g, '')
}

function membersOf(type: Type | undefined): Members {
  return type?.kind === 'object' ? type.of : { members: new Map(), required: [] }
}

function membersAt({ members }: Members, name: string): Members {
  return membersOf(members.get(name))
}

function mapped(members: ReadonlyMap<string, Type>, to: (type: Type) => Yaml): Yaml {
  return Object.fromEntries([...members].map(([name, type]) => [name, to(type)]))
}

function pathItemOf({ members }: Members, operations: Members): Yaml {
  const found = [...members].flatMap(([method, type]) => {
    if (type.kind !== 'reference' || type.keys[0] !== 'operations') return []
    const id = type.keys[1] ?? ''
    return [[method, { operationId: id, ...operationOf(membersAt(operations, id)) }] as const]
  })
  return Object.fromEntries(found)
}

function operationOf(operation: Members): Yaml {
  const parameters = membersAt(operation, 'parameters')
  const body = operation.members.get('requestBody')
  return {
    parameters: ['path', 'query', 'header'].flatMap((place) => {
      const { members, required } = membersAt(parameters, place)
      return [...members.keys()].map((name) => ({ name, in: place, required: required.includes(name) }))
    }),
    ...(body?.kind === 'object' ? { requestBody: contentOf(body) } : {}),
    responses: mapped(membersAt(operation, 'responses').members, contentOf),
  }
}

function contentOf(type: Type): Yaml {
  if (type.kind === 'reference') return schemaOf(type)
  const content = membersAt(membersOf(type), 'content')
  return { content: mapped(content.members, (schema) => ({ schema: schemaOf(schema) })) }
}

function schemaOf(type: Type): Yaml {
  switch (type.kind) {
    case 'word':
      return ['string', 'number', 'boolean'].includes(type.word) ? { type: type.word } : {}
    case 'literal':
      return { type: typeof type.value, enum: [type.value] }
    case 'reference':
      return { $ref: `#/${type.keys.join('/')}` }
    case 'array':
      return { type: 'array', items: schemaOf(type.of) }
    case 'intersection':
      return { allOf: type.of.map(schemaOf) }
    case 'union':
      return unionOf(type.of.filter((one) => one.kind !== 'word' || one.word !== 'null'))
    case 'object': {
      const { members, required, others } = type.of
      const additional = others === undefined ? {} : { additionalProperties: schemaOf(others) }
      return { type: 'object', properties: mapped(members, schemaOf), required, ...additional }
    }
  }
}

function unionOf(types: readonly Type[]): Yaml {
  const [first, ...more] = types
  if (first !== undefined && more.length === 0) return schemaOf(first)
  const values = types.flatMap((one) => (one.kind === 'literal' ? [one.value] : []))
  return values.length === types.length ? { type: 'string', enum: values } : { oneOf: types.map(schemaOf) }
}

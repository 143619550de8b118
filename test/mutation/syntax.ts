import { parseAst } from 'vitest/node'

/** A node of a syntax tree of Vitest's parser (ESTree with types). */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

export function parse(code: string): Node {
  return parseAst(code, { lang: 'ts' }) as unknown as Node
}

/** Returns the direct children of a node, in the order of the text. */
export function childrenOf(node: Node): readonly Node[] {
  // `{ a = 1 }`: the key is the beginning of the value.
  return (node['shorthand'] === true ? [node['value']] : Object.values(node))
    .flat()
    .filter(isNode)
    .sort((a, b) => a.start - b.start)
}

/** Returns the child with this name. Undefined if there is none. */
export function part(node: Node, name: string): Node | undefined {
  const found = node[name]
  return isNode(found) ? found : undefined
}

/** Returns the children in a list with this name. */
export function parts(node: Node, name: string): readonly Node[] {
  const found = node[name]
  return Array.isArray(found) ? found.filter(isNode) : []
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Whether a node has no effect at run time, such as a type or an import. */
export function isErased({ type }: Node): boolean {
  if (type === 'TSAsExpression' || type === 'TSNonNullExpression' || type === 'TSSatisfiesExpression')
    return false
  return type.startsWith('TS') || type === 'ImportDeclaration' || type === 'ExportAllDeclaration'
}

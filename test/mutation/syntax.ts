import { parseAst } from 'vitest/node'

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

export function parse(code: string): Node {
  return parseAst(code, { lang: 'ts' }) as unknown as Node
}

export function childrenOf(node: Node): readonly Node[] {
  // In the shorthand `{ a = 1 }`, the key and the beginning of the value are one text. So only the value counts as a
  // child.
  return (node['shorthand'] === true ? [node['value']] : Object.values(node))
    .flat()
    .filter(isNode)
    .sort((a, b) => a.start - b.start)
}

export function part(node: Node, name: string): Node | undefined {
  const found = node[name]
  return isNode(found) ? found : undefined
}

export function parts(node: Node, name: string): readonly Node[] {
  const found = node[name]
  return Array.isArray(found) ? found.filter(isNode) : []
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Whether a node has nothing to mutate, such as a type or an import. */
export function isErased({ type }: Node): boolean {
  if (type === 'TSAsExpression' || type === 'TSNonNullExpression' || type === 'TSSatisfiesExpression')
    return false
  return type.startsWith('TS') || type === 'ImportDeclaration' || type === 'ExportAllDeclaration'
}

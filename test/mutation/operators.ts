import { isNode, type Node, part, parts } from './syntax.ts'

const swapped: ReadonlyMap<string, readonly string[]> = new Map([
  ['<', ['<=', '>=']],
  ['<=', ['<', '>']],
  ['>', ['>=', '<=']],
  ['>=', ['>', '<']],
  ['===', ['!==']],
  ['!==', ['===']],
  ['==', ['!=']],
  ['!=', ['==']],
  ['+', ['-']],
  ['-', ['+']],
  ['*', ['/']],
  ['/', ['*']],
  ['%', ['*']],
  ['**', ['*']],
  ['&', ['|']],
  ['|', ['&']],
  ['<<', ['>>']],
  ['>>', ['<<']],
  ['&&', ['||']],
  ['||', ['&&']],
  ['+=', ['-=']],
  ['-=', ['+=']],
  ['*=', ['/=']],
  ['??=', ['=']],
  ['||=', ['&&=']],
  ['&&=', ['||=']],
])

const renamed: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toUpperCase', 'toLowerCase'],
  ['toLowerCase', 'toUpperCase'],
])

const droppableCalls = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'flat',
  'concat',
])

const comparing = new Set(['<', '<=', '>', '>=', '===', '!==', '==', '!=', 'in', 'instanceof'])

export function alternativesOf(node: Node, parent: Node, code: string): readonly string[] {
  const texts = [...ofItself(node, parent, code), ...ofItsPlace(node, parent)]
  const own = textOf(node, code)
  return [...new Set(texts)].filter((text) => text !== own)
}

function ofItself(node: Node, parent: Node, code: string): readonly string[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return withOperator(node, code)
    case 'UpdateExpression':
      return [textOf(node, code).replace(/\+\+|--/, (sign) => (sign === '++' ? '--' : '++'))]
    case 'UnaryExpression':
      return ['!', '-', '~'].includes(node['operator'] as string) ? [textOf(argument(node), code)] : []
    case 'Literal':
      return ofLiteral(node['value'], parent)
    case 'TemplateLiteral':
      return node.end - node.start === 2 ? [] : ["''"]
    case 'ArrayExpression':
      return parts(node, 'elements').length === 0 ? ["['mutated']"] : ['[]']
    case 'ObjectExpression':
      return parts(node, 'properties').length === 0 ? [] : ['{}']
    case 'CallExpression':
      return ofCall(node, code)
    case 'ChainExpression':
      return optionalLinks(node).map((at) => withoutLink(node, at, code))
    default:
      return []
  }
}

function ofItsPlace(node: Node, parent: Node): readonly string[] {
  const isTest = part(parent, 'test') === node
  if (isTest && /^(?:For|While|DoWhile)Statement$/.test(parent.type)) return ['false']
  if ((isTest && parent.type !== 'SwitchCase') || hasBooleanOperator(node)) return ['true', 'false']
  const isReturned =
    parent.type === 'ReturnStatement' ||
    (parent.type === 'ArrowFunctionExpression' && part(parent, 'body') === node)
  return isReturned && !saysNothing(node) ? ['undefined'] : []
}

function hasBooleanOperator(node: Node): boolean {
  const operator = node['operator'] as string
  return node.type === 'LogicalExpression' ? operator !== '??' : comparing.has(operator)
}

/**
 * Whether `undefined` would be no useful replacement: the value is undefined already, or it is a boolean, which other
 * mutants change.
 */
function saysNothing(node: Node): boolean {
  if (node.type === 'BlockStatement' || node['name'] === 'undefined') return true
  if (node.type === 'ParenthesizedExpression') return hasBooleanOperator(part(node, 'expression') as Node)
  return typeof node['value'] === 'boolean'
}

function withOperator(node: Node, code: string): readonly string[] {
  const [one, other] = [part(node, 'left') as Node, part(node, 'right') as Node]
  const between = code.slice(one.end, other.start)
  const operator = node['operator'] as string
  // `a ?? b` becomes `a && b`. The parentheses are needed because `a ?? b && c` is a syntax error.
  if (operator === '??') return [`(${textOf(one, code)}) && (${textOf(other, code)})`]
  return (swapped.get(operator) ?? []).map(
    (replacement) =>
      code.slice(node.start, one.end) +
      between.replace(operator, () => replacement) +
      code.slice(other.start, node.end),
  )
}

/** A text with a space is a message for people. No test checks its wording, so it has no mutant. */
function ofLiteral(value: unknown, parent: Node): readonly string[] {
  if (typeof value === 'boolean') return [String(!value)]
  if (typeof value !== 'string' || value.includes(' ') || isKey(parent, value)) return []
  return value === '' ? ["'mutated'"] : ["''"]
}

/** Whether a literal is a key, such as `'key'` in `a['key']`. */
function isKey(parent: Node, value: string): boolean {
  const named = part(parent, 'property') ?? part(parent, 'key')
  return named?.type === 'Literal' && named['value'] === value && part(parent, 'value') !== named
}

function ofCall(node: Node, code: string): readonly string[] {
  const callee = part(node, 'callee') as Node
  const method = part(callee, 'property')
  const object = part(callee, 'object')
  if (callee.type !== 'MemberExpression' || method === undefined || object === undefined) return []
  if (node['optional'] === true || callee['optional'] === true) return []
  const name = textOf(method, code)
  const other = renamed.get(name)
  if (droppableCalls.has(name)) return [textOf(object, code)]
  if (other === undefined) return []
  return [code.slice(node.start, method.start) + other + code.slice(method.end, node.end)]
}

/** Returns the offset of each `?.` in a chain. Arguments of calls in the chain are left out. */
function optionalLinks(chain: Node): readonly number[] {
  const links: number[] = []
  let at = part(chain, 'expression')
  while (at !== undefined) {
    const inner: Node | undefined = part(at, 'object') ?? part(at, 'callee') ?? part(at, 'expression')
    if (at['optional'] === true && inner !== undefined) links.push(inner.end)
    at = inner
  }
  return links
}

function withoutLink(chain: Node, at: number, code: string): string {
  const rest = code.slice(at, chain.end)
  const bare = rest.replace(
    /^([\s)]*)\?\.(\s*[[(])?/,
    (_, before: string, open?: string) => before + (open ?? '.'),
  )
  return code.slice(chain.start, at) + bare
}

export function canBeLeftOut(node: Node): boolean {
  if (node.type !== 'ExpressionStatement' || typeof node['directive'] === 'string') return false
  const expression = part(node, 'expression')
  return part(expression ?? node, 'callee')?.type !== 'Super'
}

function argument(node: Node): Node {
  const found = node['argument']
  if (!isNode(found)) throw new Error(`no argument: ${node.type}`)
  return found
}

function textOf({ start, end }: Node, code: string): string {
  return code.slice(start, end)
}

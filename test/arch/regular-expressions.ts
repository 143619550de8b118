import { isNode, type Node, parse } from '../mutation/syntax.ts'
import type { Source } from './sources.ts'

export interface Expression {
  readonly where: string
  readonly regex: RegExp
}

/** Returns the regular expressions of a source: its literals, and what it gives to the constructor. */
export function expressionsOf({ path, text }: Source): readonly Expression[] {
  const found: Expression[] = []
  const constants = new Map<string, Node>()
  const add = ({ start }: Node, pattern: string, flags: string) => {
    const line = text.slice(0, start).split('\n').length
    found.push({ where: `${path}:${line}: /${pattern}/${flags}`, regex: new RegExp(pattern, flags) })
  }
  visit(parse(text), (node) => {
    const { type, id, init, regex, callee } = node
    if (type === 'VariableDeclarator' && isNode(id) && isNode(init)) constants.set(String(id['name']), init)
    if (type === 'Literal' && isPattern(regex)) add(node, regex.pattern, regex.flags)
    if (/^(?:New|Call)Expression$/.test(type) && isNode(callee) && callee['name'] === 'RegExp') {
      const [pattern = '', flags = ''] = (node['arguments'] as Node[]).map((each) => textOf(each, constants))
      add(node, pattern, flags)
    }
  })
  return found
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, see)
}

function isPattern(value: unknown): value is { readonly pattern: string; readonly flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value
}

/** The text that an expression stands for, with an `x` for each part that only the running program knows. */
function textOf(node: Node, constants: ReadonlyMap<string, Node>): string {
  const { type, value, name, quasi } = node
  if (type === 'Literal') return String(value)
  if (type === 'TemplateLiteral') return templateOf(node, 'cooked', constants)
  if (type === 'TaggedTemplateExpression' && isNode(quasi)) return templateOf(quasi, 'raw', constants)
  const constant = type === 'Identifier' ? constants.get(String(name)) : undefined
  return constant === undefined ? 'x' : textOf(constant, constants)
}

function templateOf(node: Node, form: 'raw' | 'cooked', constants: ReadonlyMap<string, Node>): string {
  const [texts, holes] = [node['quasis'] as Node[], node['expressions'] as Node[]]
  return texts
    .map(({ value }, index) => {
      const hole = holes[index]
      return (
        (value as Record<typeof form, string>)[form] + (hole === undefined ? '' : textOf(hole, constants))
      )
    })
    .join('')
}

const atomPattern = /\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]+\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\.|./gisu
const samples = [...'azAZ09_-./ \t\n"\'<@:é\u0001\u00a0\u2028\u{1f600}']

/** Returns one character for each set of characters that an expression cannot tell apart. */
function charactersOf({ source, ignoreCase }: RegExp): readonly string[] {
  const atoms = [...new Set(source.match(atomPattern)).add('\\w')].flatMap((atom) => single(atom, ignoreCase))
  const alike = new Map<string, string>()
  for (const character of new Set([...source, ...samples])) {
    const seen = atoms.map((atom) => Number(atom.test(character))).join('')
    if (!alike.has(seen)) alike.set(seen, character)
  }
  return [...alike.values()]
}

function single(atom: string, ignoreCase: boolean): readonly RegExp[] {
  try {
    return [new RegExp(`^(?:${atom})$`, ignoreCase ? 'iu' : 'u')]
  } catch {
    return []
  }
}

/** Returns the words of an expression, such as `bearer`, without characters that mean something else. */
function wordsOf({ source }: RegExp): readonly string[] {
  const words = source
    .replace(/\\[bBdDwWsSpPk]/g, ' ')
    .replace(/\\(.)/g, '$1')
    .match(/[^ ()[\]{}|?*+^$.]{2,}/g)
  return [...new Set(words)]
}

/** Returns kinds of texts with long runs: of each part alone, and of two. Each makes a text of a length. */
export function longRunsOf(regex: RegExp): readonly ((length: number) => string)[] {
  const characters = charactersOf(regex)
  return [...characters, ...wordsOf(regex)].flatMap((one) => [
    (length) => repeated(one, length),
    ...characters
      .filter((other) => other !== one)
      .flatMap((other) => [
        (length: number) => repeated(one + other, length),
        (length: number) => other + repeated(one, length) + other,
        (length: number) => repeated(one, length / 2) + repeated(other, length / 2),
      ]),
  ])
}

function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length))
}

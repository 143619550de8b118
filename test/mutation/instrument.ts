import { alternativesOf, canBeLeftOut } from './operators.ts'
import { childrenOf, isErased, type Node, parse, part } from './syntax.ts'

/** One small change of the sources that a test should notice. */
export interface Mutant {
  readonly file: string
  /** The function that contains the mutant, after the name of its class: `Plan.woke`. */
  readonly within: string
  readonly from: string
  /** Empty if the mutant removes a statement. */
  readonly to: string
  /** Numbers the mutants of one function that replace equal texts by equal texts, from 1. */
  readonly nth: number
  /**
   * The number of the mutant's site: the place in the sources that it changes. A test that reaches a site reaches all
   * mutants of the site.
   */
  readonly site: number
}

/**
 * All mutants of a file, and one version of its code that contains all of them. `__mutation.active` selects the mutant
 * that is active, and `__mutation.reached` records which sites were reached.
 */
export interface Instrumented {
  readonly code: string
  readonly mutants: readonly Mutant[]
}

export function instrument(
  file: string,
  code: string,
  first: { mutant: number; site: number },
): Instrumented {
  const found: Mutant[] = []
  const alike = new Map<string, number>()
  const spine = new Set<Node>()
  let site = first.site - 1

  const note = (within: readonly string[], node: Node, to: string): number => {
    const [name, from] = [within.join('.'), oneLine(code.slice(node.start, node.end))]
    const id = [name, from, oneLine(to)].join('\n')
    const nth = (alike.get(id) ?? 0) + 1
    alike.set(id, nth)
    found.push({ file, within: name, from, to: oneLine(to), nth, site })
    return first.mutant + found.length - 1
  }

  const render = (node: Node, parent: Node, within: readonly string[]): string => {
    if (isErased(node) || node.type === 'ThrowStatement') return code.slice(node.start, node.end)
    for (const link of spineOf(node)) spine.add(link)
    const name = nameOf(node, within.length === 0, code)
    const path = name === undefined ? within : [...within, name]
    return guarded(node, parent, mutated(node, parent, path))
  }

  const mutated = (node: Node, parent: Node, within: readonly string[]): string => {
    if (canBeLeftOut(node)) {
      const here = ++site
      const mutant = note(within, node, '')
      return `{${reach(here)};if(__mutation.active!==${mutant}){${inner(node, within)}}}`
    }
    const texts = spine.has(node) || !canBeMutatedHere(node, parent) ? [] : alternativesOf(node, parent, code)
    if (texts.length === 0) return inner(node, within)
    const here = ++site
    const choices = texts.map((text) => `__mutation.active===${note(within, node, text)}?(${text}):`)
    return `(${reach(here)},${choices.join('')}(${inner(node, within)}))`
  }

  const inner = (node: Node, within: readonly string[]): string =>
    joined(node, code, (child) => render(child, node, within))

  const program = parse(code)
  return {
    code: `const __mutation=globalThis.__mutation;${inner({ ...program, start: 0, end: code.length }, [])}`,
    mutants: found,
  }
}

/**
 * Returns the code with loops and functions that consume fuel. A mutant that would run for ever then ends as soon as
 * its fuel is used up.
 */
export function fuelled(code: string): string {
  const render = (node: Node, parent: Node): string => {
    const inner = isErased(node)
      ? code.slice(node.start, node.end)
      : joined(node, code, (child) => render(child, node))
    return guarded(node, parent, inner)
  }
  const program = parse(code)
  return `const __mutation=globalThis.__mutation;${render({ ...program, start: 0, end: code.length }, program)}`
}

function joined(node: Node, code: string, render: (child: Node) => string): string {
  let [text, at] = ['', node.start]
  for (const child of childrenOf(node)) {
    text += code.slice(at, child.start) + render(child)
    at = child.end
  }
  return text + code.slice(at, node.end)
}

const spend = '__mutation.fuel-->0||__mutation.stop();'

function guarded(node: Node, parent: Node, text: string): string {
  if (part(parent, 'body') !== node) return text
  if (/^(?:For|ForOf|ForIn|While|DoWhile)Statement$/.test(parent.type))
    return node.type === 'BlockStatement' ? `{${spend}${text.slice(1)}` : `{${spend}${text}}`
  const isBody = node.type === 'BlockStatement' && /Function/.test(parent.type)
  return isBody ? `{${spend}${text.slice(1)}` : text
}

function reach(site: number): string {
  return `__mutation.reached[${site}]=1`
}

/**
 * Returns the links of a chain with `?.`. A link gets no parentheses, because they would change what a `?.` before the
 * link skips.
 */
function spineOf(chain: Node): readonly Node[] {
  const links: Node[] = []
  let link = chain.type === 'ChainExpression' ? part(chain, 'expression') : undefined
  while (link !== undefined) {
    links.push(link)
    link = part(link, 'object') ?? part(link, 'callee') ?? part(link, 'expression')
  }
  return links
}

function canBeMutatedHere(node: Node, parent: Node): boolean {
  if (parent.type === 'TaggedTemplateExpression') return false
  // Another mutant leaves out the whole statement. Of expressions that are a statement, only assignments and updates
  // are also mutated themselves.
  if (parent.type === 'ExpressionStatement') return /^(?:Assignment|Update)Expression$/.test(node.type)
  return part(parent, 'key') !== node || parent['computed'] === true
}

/**
 * Returns the name of the function, method or class that begins at a node. A function that is assigned to a constant
 * has the name of the constant.
 */
function nameOf(node: Node, isTop: boolean, code: string): string | undefined {
  const name = part(node, 'id') ?? part(node, 'key')
  const opens =
    /^(?:FunctionDeclaration|ClassDeclaration|MethodDefinition|PropertyDefinition)$/.test(node.type) ||
    (node.type === 'VariableDeclarator' && (isTop || /Function/.test(part(node, 'init')?.type ?? '')))
  if (!opens || name === undefined) return undefined
  return /^#?[\w$]+/.exec(code.slice(name.start, name.end))?.[0]
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 100)} ... ${line.slice(-40)}` : line
}

import type { Tape } from './tape.ts'
import { type Member, raw, type Tree } from './tree.ts'

const spaces = ['', ' ', '\n', '\t', '\r\n ', '  '] as const

/** Writes a tree as JSON, in one of the many texts that have the tree's meaning. */
export function sameText(tree: Tree, tape: Tape): string {
  const style = { space: tape.once(3) ? tape.pick(spaces) : '', tape, changes: tape.once(3) }
  const text = print(tree, style)
  return tape.once(8) ? `${tape.pick(spaces)}${text}${tape.pick(spaces)}` : text
}

export function plainText(tree: Tree): string {
  switch (tree.kind) {
    case 'raw':
      return tree.source
    case 'text':
      return JSON.stringify(tree.text)
    case 'list':
      return `[${tree.items.map(plainText).join()}]`
    case 'object':
      return `{${tree.members.map(([key, value]) => `${JSON.stringify(key)}:${plainText(value)}`).join()}}`
  }
}

interface Style {
  readonly space: string
  readonly tape: Tape
  /** Whether more than the white space may differ from what `JSON.stringify` writes. */
  readonly changes: boolean
}

function print(tree: Tree, style: Style): string {
  const { space, tape, changes } = style
  switch (tree.kind) {
    case 'raw':
      return changes && tape.once(4) ? sameNumberWritten(tree.source, tape) : tree.source
    case 'text':
      return changes && tape.once(6) ? withOneEscape(tree.text, tape) : JSON.stringify(tree.text)
    case 'list':
      return `[${space}${tree.items.map((item) => print(item, style)).join(`${space},${space}`)}${space}]`
    case 'object': {
      const members = changes && tape.once(3) ? tape.shuffled(tree.members) : tree.members
      const texts = members.map(([key, value]) => {
        const name = changes && tape.once(12) ? withOneEscape(key, tape) : JSON.stringify(key)
        return `${name}${space}:${space}${print(value, style)}`
      })
      return `{${space}${texts.join(`${space},${space}`)}${space}}`
    }
  }
}

function sameNumberWritten(source: string, tape: Tape): string {
  if (!/^-?[1-9]\d*$/.test(source)) return source
  return tape.pick([source, `${source}.0`, `${source}e0`, `${source}.00E+0`, `${source}0e-1`, `${source}e-0`])
}

function withOneEscape(text: string, tape: Tape): string {
  const at = tape.below(Math.max(1, text.length))
  const unit = text.charCodeAt(at)
  if (Number.isNaN(unit)) return JSON.stringify(text)
  const hex = unit.toString(16).padStart(4, '0')
  const code = `\\u${tape.once(2) ? hex.toUpperCase() : hex}`
  // If one half of a surrogate pair is escaped, the other half stands alone, and UTF-8 cannot express it.
  if (unit >= 0xd800 && unit <= 0xdfff) return JSON.stringify(text)
  return `${JSON.stringify(text.slice(0, at)).slice(0, -1)}${code}${JSON.stringify(text.slice(at + 1)).slice(1)}`
}

const words = [
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  '1e',
  "'a'",
  '1n',
  'True',
] as const
const depths = [20, 62, 63, 64, 65, 80] as const

/**
 * Replaces a part so that the text is malformed, is JSON that parsers read differently, or is valid JSON close to
 * either.
 */
export function twisted(tree: Tree, part: Tree, tape: Tape): Tree {
  const put = (other: Tree) => substituted(tree, part, other)
  switch (tape.below(6)) {
    case 0:
      return put(raw(tape.pick(words)))
    case 1:
      return put(
        raw(
          tape.pick([
            '"\\ud800"',
            '"\\udc00\\ud800"',
            '"\\ud83d\\ude00"',
            '"\\u0000"',
            '"\t"',
            '"\\x41"',
            '"a',
          ]),
        ),
      )
    case 2: {
      const depth = tape.pick(depths)
      return put(
        raw(
          tape.once(2)
            ? `${'['.repeat(depth)}${']'.repeat(depth)}`
            : `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`,
        ),
      )
    }
    case 3:
      return part.kind === 'object'
        ? put({ ...part, members: [...part.members, again(part.members, tape)] })
        : put(raw('{"a":1,"a":1}'))
    case 4:
      return put(
        raw(
          tape.pick([
            '{"__proto__":{"a":1}}',
            '{"constructor":{},"toString":1}',
            '{"":""}',
            '{"rawJSON":"1"}',
            '{"then":1}',
          ]),
        ),
      )
    default:
      return put({ kind: 'list', items: [part, raw(tape.pick(['', '1,', ']']))] })
  }
}

function again(members: readonly Member[], tape: Tape): Member {
  const [key, value] = members.length === 0 ? (['a', raw('1')] as const) : tape.pick(members)
  return tape.once(2) ? [key, raw('null')] : [key, value]
}

function substituted(tree: Tree, part: Tree, other: Tree): Tree {
  if (tree === part) return other
  if (tree.kind === 'list')
    return { ...tree, items: tree.items.map((item) => substituted(item, part, other)) }
  if (tree.kind !== 'object') return tree
  return {
    ...tree,
    members: tree.members.map(([key, value]): Member => [key, substituted(value, part, other)]),
  }
}

export function mangled(text: string, tape: Tape): Buffer {
  const bytes = Buffer.from(text)
  const at = tape.below(Math.max(1, bytes.length))
  switch (tape.below(10)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([
        bytes,
        Buffer.from(tape.pick([' ', '\0', '}', 'x', '\n\n', '{}', '\u00a0', ','])),
      ])
    case 2:
      return Buffer.concat([Buffer.from('\ufeff'), bytes])
    case 3:
      return Buffer.from(text, 'utf16le')
    case 4: {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << tape.below(8))
      return flipped
    }
    case 5:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([0x80 + tape.below(0x80)]),
        bytes.subarray(at),
      ])
    case 6:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
    case 7:
      return Buffer.concat([bytes.subarray(0, at), bytes])
    case 8:
      return Buffer.concat([Buffer.from(tape.pick([' ', '\0', '[', '\u2028', '//\n', ")]}'\n"])), bytes])
    default:
      return Buffer.from(text.replaceAll('"', tape.pick(["'", '""', '\\"', '"'])))
  }
}

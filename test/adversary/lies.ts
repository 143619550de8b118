import { twisted } from './json-text.ts'
import type { Tape } from './tape.ts'
import { type Member, partsOf, raw, replaced, type Tree } from './tree.ts'

const otherValues: readonly Tree[] = [
  raw('null'),
  raw('0'),
  raw('-0'),
  raw('1'),
  raw('1e99'),
  raw('9007199254740993'),
  raw('9007199254740992'),
  raw('0.1'),
  raw('0.1000000000000000055511151231257827'),
  raw('1e400'),
  raw('1e-400'),
  raw('0e5'),
  raw('true'),
  raw('false'),
  { kind: 'text', text: '' },
  { kind: 'text', text: '0' },
  { kind: 'text', text: 'liar::1220ab' },
  { kind: 'text', text: '2036-03-01T12:00:00.123457Z' },
  { kind: 'text', text: '2036-03-01T12:00:00.1234560Z' },
  { kind: 'text', text: '2036-02-30T12:00:00Z' },
  { kind: 'text', text: '\u0130\u{1f600}\uffff' },
  ...['/', ' ', '0', '<'].map((character): Tree => ({ kind: 'text', text: character.repeat(20_000) })),
  { kind: 'list', items: [] },
  { kind: 'object', members: [] },
]

/** Returns the tree with one random change. After some changes the tree is still true or is no valid reply. */
export function lie(tree: Tree, tape: Tape): Tree {
  const part = tape.pick(partsOf(tree))
  return told(tree, part, tape) ?? tree
}

function told(tree: Tree, part: Tree, tape: Tape): Tree | undefined {
  const put = (other: Tree | undefined) => replaced(tree, part, other)
  switch (tape.below(10)) {
    case 0:
      return put(tape.pick(otherValues))
    case 1:
      return put(undefined)
    case 2:
      return put(tape.pick(partsOf(tree)))
    case 3:
      return twisted(tree, part, tape)
    case 4:
      return put(withMore(part, tape))
    case 5:
      return put(inOtherOrder(part, tape))
    case 6:
      return part.kind === 'list'
        ? put({ ...part, items: part.items.slice(0, tape.below(part.items.length + 1)) })
        : put(raw('null'))
    case 7:
      return put(withAnother(part, tape))
    default:
      return put(alike(part, tape))
  }
}

/**
 * Adds to a list an element that looks as real as the others: a copy of the last element with one or two changed texts.
 */
function withAnother(part: Tree, tape: Tape): Tree {
  if (part.kind !== 'list' || part.items.length === 0) return alike(part, tape)
  const last = part.items.at(-1) as Tree
  const texts = partsOf(last).filter(({ kind }) => kind === 'text')
  const changed = [tape.pick([last, ...texts]), tape.pick([last, ...texts])]
  const another = changed.reduce(
    (item: Tree | undefined, text) => item && replaced(item, text, alike(text, tape)),
    last,
  )
  return { ...part, items: [...part.items, another ?? last] }
}

function withMore(part: Tree, tape: Tape): Tree {
  if (part.kind === 'object') {
    const added: Member = [
      tape.pick([
        'a',
        'status',
        '__proto__',
        'constructor',
        'contract_id',
        'next_page_token',
        '\u{1f600}',
        '',
      ]),
      tape.pick(otherValues),
    ]
    return { ...part, members: [...part.members, added] }
  }
  if (part.kind !== 'list') return { kind: 'list', items: [part, part] }
  const item = part.items.length === 0 ? tape.pick(otherValues) : tape.pick(part.items)
  const times = tape.pick([1, 1, 2, 30])
  return { ...part, items: [...part.items, ...Array<Tree>(times).fill(item)] }
}

function inOtherOrder(part: Tree, tape: Tape): Tree {
  if (part.kind === 'list') return { ...part, items: tape.shuffled(part.items) }
  if (part.kind === 'object') return { ...part, members: tape.shuffled(part.members) }
  return part
}

/** Returns the text with a long run of one character before, in or after it. */
function longRun(text: string, tape: Tape): string {
  const at = tape.below(text.length + 1)
  const character = tape.pick([...' ./,:;-_0aZ<"\\\t\u00a0', text[at] ?? '='])
  return text.slice(0, at) + character.repeat(tape.pick([100, 5_000, 20_000])) + text.slice(at)
}

function alike(part: Tree, tape: Tape): Tree {
  if (part.kind === 'raw') {
    const { source } = part
    return raw(
      tape.pick([
        `${source}0`,
        `-${source}`,
        `${source}.5`,
        `${source}.00000000000000000001`,
        `${source}e1`,
        `${source}.0`,
      ]),
    )
  }
  if (part.kind !== 'text') return part
  const { text } = part
  const other = tape.pick([
    `${text} `,
    `${text}\0`,
    text.toUpperCase(),
    text.slice(1),
    text.slice(0, -1),
    text.normalize('NFD'),
    `${text}\u200b`,
    text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
    text.replace('Z', '0Z'),
    text.replace('a', '\u0430'),
    longRun(text, tape),
  ])
  return { kind: 'text', text: other }
}

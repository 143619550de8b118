import { freeForms, textOf } from '../../src/core/reads/leaves.ts'
import type { Pattern } from '../../src/core/reads/pattern.ts'
import { misfit, shapeOf } from '../../src/core/reads/reading.ts'
import { plainText } from './json-text.ts'
import type { Tape } from './tape.ts'
import type { Member, Tree } from './tree.ts'
import type { Truth } from './world.ts'

/** Returns the body in another text with the same meaning by the schema of its read. */
export function retold({ read, status, body }: Pick<Truth, 'read' | 'status' | 'body'>, tape: Tape): Tree {
  return status === 200 ? told(read.forms?.reply ?? read.reply, body, tape) : body
}

function told(pattern: Pattern, tree: Tree, tape: Tape): Tree {
  if (typeof pattern === 'string') {
    if (Object.hasOwn(freeForms, pattern)) return withOtherNulls(tree, tape)
    if (tree.kind !== 'text' || textOf[pattern] === undefined || tape.once(2)) return tree
    return { kind: 'text', text: (pattern === 'time' ? otherTime : otherDecimal)(tree.text, tape) }
  }
  if ('firstOf' in pattern) {
    const kind = pattern.firstOf.find((one) => fits(one, tree))
    return kind === undefined ? tree : told(kind, tree, tape)
  }
  if ('contract' in pattern) return withPayload(told(pattern.contract, tree, tape), tape)
  if ('nullable' in pattern) return told(pattern.nullable, tree, tape)
  if ('optional' in pattern) return told(pattern.optional, tree, tape)
  if ('constant' in pattern && tree.kind === 'text' && tape.once(2)) return ownId(tape)
  if ('of' in pattern) return told(pattern.of, tree, tape)
  if (tree.kind === 'list') {
    if ('set' in pattern) return { ...tree, items: tape.shuffled(tree.items) }
    return 'list' in pattern
      ? { ...tree, items: tree.items.map((item) => told(pattern.list, item, tape)) }
      : tree
  }
  if (tree.kind !== 'object') return tree
  if ('record' in pattern)
    return withMembers(tree.members, ([key, value]) => [[key, told(pattern.record, value, tape)]])
  if (!('object' in pattern)) return tree
  return withMembers(tree.members, ([key, value]) => {
    const member = pattern.object[key]
    if (member === undefined) return [[key, value]]
    if (key === 'created_in_update_id' && tape.once(4)) return [[key, ownId(tape)]]
    if (key === 'external_transaction_hash' && isOptional(member) && tape.once(4))
      return tape.once(2) ? [] : [[key, nothing]]
    if (isDefault(member, false) && isFalse(value) && tape.once(2)) return [[key, nothing]]
    return isNull(value) && isDefault(member, null) && tape.once(2) ? [] : [[key, told(member, value, tape)]]
  })
}

/** Leaves out members that are null, and adds some that are. */
function withOtherNulls(tree: Tree, tape: Tape): Tree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => withOtherNulls(item, tape)) }
  if (tree.kind !== 'object') return tree
  const { members } = withMembers(tree.members, ([key, value]) =>
    isNull(value) && tape.once(2) ? [] : [[key, withOtherNulls(value, tape)]],
  )
  if (!tape.once(8) || members.some(([key]) => key === addedMember)) return { kind: 'object', members }
  return { kind: 'object', members: [...members, [addedMember, nothing]] }
}

/** A member that only a later version of a template has. */
const addedMember = 'optAdded'
const nothing: Tree = { kind: 'raw', source: 'null' }

/** Retells the prices in the payload of a contract. */
function withPayload(contract: Tree, tape: Tape, member = ''): Tree {
  if (contract.kind === 'list')
    return { ...contract, items: contract.items.map((item) => withPayload(item, tape, member)) }
  if (contract.kind === 'object')
    return withMembers(contract.members, ([key, value]) => [[key, withPayload(value, tape, key)]])
  if (contract.kind !== 'text' || tape.once(2)) return contract
  const { text } = contract
  if (/^(?:fee|rate|amuletPrice|entryFee|_2)$/.test(member))
    return { kind: 'text', text: otherDecimal(text, tape) }
  return /^(?:opensAt|targetClosesAt|lastUpdatedAt|validFrom)$/.test(member)
    ? { kind: 'text', text: otherTime(text, tape) }
    : contract
}

function withMembers(members: readonly Member[], tell: (member: Member) => readonly Member[]) {
  return { kind: 'object', members: members.flatMap(tell) } as const
}

/** Also false of a tree that is no JSON. */
function fits(pattern: Pattern, tree: Tree): boolean {
  try {
    return shapeOf(pattern).read(JSON.parse(plainText(tree)), { filled: false }) !== misfit
  } catch {
    return false
  }
}

function isNull(tree: Tree): boolean {
  return tree.kind === 'raw' && tree.source === 'null'
}

function isFalse(tree: Tree): boolean {
  return tree.kind === 'raw' && tree.source === 'false'
}

function isDefault(pattern: Pattern, value: unknown): boolean {
  return typeof pattern === 'object' && 'default' in pattern && pattern.default === value
}

function isOptional(pattern: Pattern): boolean {
  return typeof pattern === 'object' && 'optional' in pattern
}

function ownId(tape: Tape): Tree {
  return { kind: 'text', text: `1220${tape.below(1 << 16)}` }
}

function otherTime(text: string, tape: Tape): string {
  const [, seconds, fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(text) ?? []
  if (seconds === undefined || Number.isNaN(Date.parse(`${seconds}Z`))) return text
  const digits = fraction.padEnd(tape.pick([fraction.length, 3, 6, 9]), '0')
  const [hours, zone] = tape.pick([
    [0, 'Z'],
    [0, '+00:00'],
    [0, '+0000'],
    [1, '+01:00'],
    [-5, '-05'],
  ] as const)
  const at = new Date(Date.parse(`${seconds}Z`) + hours * 3_600_000).toISOString().slice(0, 19)
  return `${at}${digits === '' ? '' : `.${digits}`}${zone}`
}

function otherDecimal(text: string, tape: Tape): string {
  if (!/^-?\d+\.\d+$/.test(text)) return text
  const short = text.replace(/0+$/, '')
  return tape.pick([
    `${text}0`,
    short.replace(/\.$/, ''),
    `${short}0`,
    `${text}e0`,
    text.replace(/^(?!-)/, '+'),
  ])
}

import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { samples } from '../reads/samples.ts'

/** A body that is cheap to send and takes much time or memory to judge. */
export interface CostlyBody {
  /** For example `entries <- a list of nulls`: the changed member of the true reply, and its replacement. */
  readonly label: string
  readonly make: (bytes: number) => Buffer
}

type Path = readonly (string | number)[]

const mark = '@@here@@'

const units: Readonly<Record<string, string>> = {
  'empty objects': '{}',
  'empty lists': '[]',
  'empty texts': '""',
  nulls: 'null',
  digits: '0',
  'numbers that a double rounds': '1e99',
  'numbers with a zero too many': '1.0',
  'objects of one member': '{"a":0}',
  'nested lists': `${'['.repeat(40)}${']'.repeat(40)}`,
  'nested objects': `${'{"a":'.repeat(40)}0${'}'.repeat(40)}`,
}

const texts: Readonly<Record<string, string>> = {
  letters: 'a',
  escapes: '\\u0061',
  quotes: '\\"',
  backslashes: '\\\\',
  umlauts: 'ü',
  'astral characters': '😀',
  'characters behind the surrogates': '\uffff',
}

export function costlyBodies(id: ReadId): readonly CostlyBody[] {
  const { reply } = samples[id] as { reply: unknown }
  const bodies: CostlyBody[] = [
    { label: 'white space', make: (bytes) => Buffer.from(JSON.stringify(reply).padEnd(bytes, ' ')) },
    { label: 'unfinished lists', make: (bytes) => Buffer.alloc(bytes, '[') },
    { label: 'an unfinished text', make: (bytes) => Buffer.alloc(bytes, '"a') },
    {
      label: 'an unfinished text of backslashes',
      make: (bytes) => Buffer.concat([Buffer.from('"'), Buffer.alloc(bytes - 1, '\\')]),
    },
    { label: 'one number', make: (bytes) => Buffer.alloc(bytes, '9') },
    { label: 'one number with an exponent', make: (bytes) => Buffer.from(`${'9'.repeat(bytes - 2)}e1`) },
    { label: 'one negative zero', make: (bytes) => Buffer.from(`-0.${'0'.repeat(bytes - 3)}`) },
  ]
  for (const path of [...pathsIn(reply), ['something unknown']]) {
    const old = at(reply, path)
    const where = path.join('.')
    for (const [name, unit] of Object.entries(units))
      if (Array.isArray(old) || isRecord(old) || old === undefined || path.length === 0)
        bodies.push({
          label: `${where} <- a list of ${name}`,
          make: filled(reply, path, '[', unit, ']', ','),
        })
    if (Array.isArray(old) && old.length > 0) {
      const element = JSON.stringify(old[0])
      bodies.push({
        label: `${where} <- a list of one true element`,
        make: filled(reply, path, '[', element, ']', ','),
      })
      bodies.push({
        label: `${where} <- true elements that are told apart`,
        make: numbered(reply, path, old[0]),
      })
      bodies.push({
        label: `${where} <- true elements and one that misfits`,
        make: filled(reply, path, '[', element, ',7]', ','),
      })
    }
    if (isRecord(old) || old === undefined) {
      bodies.push({ label: `${where} <- an object of many members`, make: members(reply, path, '0') })
      bodies.push({ label: `${where} <- an object of many objects`, make: members(reply, path, '{}') })
      bodies.push({
        label: `${where} <- an object of many rounded numbers`,
        make: members(reply, path, '1e99'),
      })
      const value = isRecord(old) ? Object.values(old)[0] : undefined
      if (value !== undefined)
        bodies.push({
          label: `${where} <- an object of many true members`,
          make: members(reply, path, JSON.stringify(value)),
        })
    }
    if (typeof old === 'string' || old === undefined)
      for (const [name, unit] of Object.entries(texts))
        bodies.push({ label: `${where} <- a text of ${name}`, make: filled(reply, path, '"', unit, '"', '') })
    if (typeof old === 'number')
      bodies.push({
        label: `${where} <- a number of many digits`,
        make: filled(reply, path, '1', '0', '', ''),
      })
  }
  return bodies
}

function filled(reply: unknown, path: Path, open: string, unit: string, close: string, comma: string) {
  return (bytes: number) => {
    const [before, after] = around(reply, path)
    const each = Buffer.byteLength(unit) + comma.length
    const room = bytes - Buffer.byteLength(before + after + open + close)
    const count = Math.max(1, Math.floor((room + comma.length) / each))
    return Buffer.from(`${before}${open}${(unit + comma).repeat(count - 1)}${unit}${close}${after}`)
  }
}

function members(reply: unknown, path: Path, value: string) {
  return parted(reply, path, '{}', (nth) => `"${nth.toString(36)}":${value}`)
}

/**
 * Makes a list of copies of `element`. In each copy, ids and names end with the number of the copy, so that all copies
 * differ.
 */
function numbered(reply: unknown, path: Path, element: unknown) {
  return parted(reply, path, '[]', (nth) =>
    JSON.stringify(element, (key, value) =>
      typeof value === 'string' && /name|id$|Id$/.test(key) && !value.includes('::')
        ? `${value}${nth}`
        : value,
    ),
  )
}

function parted(reply: unknown, path: Path, brackets: '{}' | '[]', partAt: (nth: number) => string) {
  return (bytes: number) => {
    const [before, after] = around(reply, path)
    const [open, close] = brackets
    const parts: string[] = []
    let room = bytes - Buffer.byteLength(before + after) - 2
    for (let nth = 0; room > 0; nth++) {
      const part = partAt(nth)
      room -= Buffer.byteLength(part) + 1
      if (room >= 0) parts.push(part)
    }
    return Buffer.from(`${before}${open}${parts.join()}${close}${after}`)
  }
}

function around(reply: unknown, path: Path): readonly [string, string] {
  const [before = '', after = ''] = JSON.stringify(put(reply, path, mark)).split(`"${mark}"`)
  return [before, after]
}

/** Returns the path of every part of a value, first of the value itself. In a list, only the first element counts. */
function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return [path, ...(value.length === 0 ? [] : pathsIn(value[0], [...path, 0]))]
  if (!isRecord(value)) return [path]
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsIn(member, [...path, key]))]
}

function at(value: unknown, path: Path): unknown {
  let here = value
  for (const step of path)
    here = isRecord(here) || Array.isArray(here) ? (here as Record<string, unknown>)[step] : undefined
  return here
}

function put(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other
  if (Array.isArray(value)) return value.map((item, nth) => (nth === step ? put(item, rest, other) : item))
  const old = isRecord(value) ? value : {}
  return { ...old, [step]: put(old[step], rest, other) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

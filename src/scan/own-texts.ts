/**
 * The positions of those strings in a JSON body that identify the node itself, such as the value of
 * `sv_user`. Each span goes from the opening quote to just after the closing quote.
 */
export type Spans = readonly (readonly [start: number, end: number])[]

const quote = 0x22
const backslash = 0x5c
/** The names and parties of nodes are shorter. A longer text would be looked through for each voter. */
const longestText = 1_024

/**
 * Finds the string values of the top-level fields named in `members`, in ascending order of
 * position. The result is undefined if a field is missing, may belong to a nested object, or is not
 * a string of printable ASCII without escapes, or too long.
 * @param body a body that fits the read's schema. `parseJson` accepted it, so no key is repeated.
 */
export function ownTextsIn(body: Buffer, members: readonly string[]): Spans | undefined {
  const spans: (readonly [number, number])[] = []
  for (const member of members) {
    const key = `"${member}"`
    const at = body.indexOf(key)
    if (at === -1 || !(isOnTop(body, at) || body.indexOf(key, at + key.length) === -1)) return undefined
    const start = afterColon(body, at + key.length)
    const end = start === undefined ? undefined : endOfPlainText(body, start)
    if (start === undefined || end === undefined) return undefined
    spans.push([start, end])
  }
  return spans.sort(([a], [b]) => a - b)
}

/**
 * Whether two bodies differ only in the strings at `spans`. The daemon then parses only one of the
 * two bodies, because these strings do not affect the vote.
 * @param known the body in which `ownTextsIn` found the spans.
 */
export function differInOwnTextsOnly(known: Buffer, spans: Spans, body: Buffer): boolean {
  let here = 0
  let there = 0
  for (const [start, end] of spans) {
    const length = start - here
    if (there + length > body.length || known.compare(body, there, there + length, here, start) !== 0)
      return false
    const after = endOfPlainText(body, there + length)
    if (after === undefined) return false
    here = end
    there = after
  }
  return known.length - here === body.length - there && known.compare(body, there, body.length, here) === 0
}

/**
 * Whether the key at this offset certainly belongs to the outermost object. The text of the key may
 * also occur inside a string value, but there a backslash precedes its first quote.
 */
function isOnTop(body: Buffer, at: number): boolean {
  if (body[0] !== 0x7b || body[at - 1] === backslash) return false
  const before = body.subarray(1, at)
  return !before.includes(0x7b) && !before.includes(0x5b)
}

function afterColon(body: Buffer, from: number): number | undefined {
  const colon = afterSpace(body, from)
  return body[colon] === 0x3a ? afterSpace(body, colon + 1) : undefined
}

function afterSpace(body: Buffer, from: number): number {
  let at = from
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at++
  return at
}

function endOfPlainText(body: Buffer, from: number): number | undefined {
  if (body[from] !== quote) return undefined
  const most = Math.min(body.length, from + longestText)
  for (let at = from + 1; at < most; at++) {
    const code = body[at] as number
    if (code === quote) return at + 1
    if (code === backslash || code < 0x20 || code > 0x7e) return undefined
  }
  return undefined
}

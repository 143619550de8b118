import { fitted, widthOf } from './text-width.ts'

const ellipsis = '…'

/**
 * Shortens names to `width` columns, or to the next larger width at which different names stay
 * different.
 */
export function shortNames(names: readonly string[], width: number): readonly string[] {
  if (Math.max(0, ...names.map(widthOf)) <= width) return names
  const different = new Set(names).size
  const longest = Math.max(...names.map((name) => [...name].length))
  for (let room = Math.max(width, 1); room < longest; room++) {
    for (const shorten of [withoutCommon(names), inTheMiddle]) {
      const short = names.map((name) => shorten(name, room))
      if (new Set(short).size === different) return short
    }
  }
  return names
}

type Shorten = (name: string, width: number) => string

function withoutCommon(names: readonly string[]): Shorten {
  const all = [...new Set(names)]
  if (all.length < 2) return inTheMiddle
  const start = commonLength(all.map((name) => [...name]))
  const end = commonLength(all.map((name) => [...name].slice(start).toReversed()))
  return (name, width) => {
    if (widthOf(name) <= width) return name
    const characters = [...name]
    const kept = characters.slice(start, characters.length - end).join('')
    const short = `${start > 0 ? ellipsis : ''}${kept}${end > 0 ? ellipsis : ''}`
    return inTheMiddle(short, width)
  }
}

function commonLength(names: readonly (readonly string[])[]): number {
  const [first = []] = names
  const differs = first.findIndex((character, at) => names.some((name) => name[at] !== character))
  return differs === -1 ? first.length : differs
}

function inTheMiddle(name: string, width: number): string {
  if (widthOf(name) <= width) return name
  const head = fitted(name, Math.ceil(width / 2))
  let tail = ''
  for (const character of [...name].toReversed()) {
    if (widthOf(head) + widthOf(character + tail) > width) break
    tail = character + tail
  }
  return head + tail
}

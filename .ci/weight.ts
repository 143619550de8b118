/** Prints how large the project is. Lines of code are those that are neither blank nor only a comment. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWiring, roomOf, sources, targetOf, top, wingOf } from '../test/arch/sources.ts'

const smallBelow = 60

function main(): void {
  const wings = new Map<string, number>()
  const rooms = new Map<string, number>()
  let wiring = 0
  const files = globSync('src/**/*.{ts,js,css}', { cwd: top })
  for (const file of files) {
    const place = file.slice('src/'.length)
    const lines = linesOfCode(read(file))
    const [wing, room] = [wingOf(place), roomOf(place)]
    if (isWiring(place)) wiring += lines
    wings.set(wing, (wings.get(wing) ?? 0) + lines)
    rooms.set(room, (rooms.get(room) ?? 0) + lines)
  }
  const byLines = (of: ReadonlyMap<string, number>) => [...of].sort(([, a], [, b]) => b - a)
  for (const [wing, lines] of byLines(wings)) {
    say(`  ${wing}/`, lines)
    const inside = byLines(rooms).filter(([room]) => room.startsWith(`${wing}/`))
    for (const [room, lines] of inside) say(`    ${room}`, lines)
  }
  say('code lines of src/', sum([...wings.values()]))
  say('code lines of core/', wings.get('core') ?? 0)
  say('files of src/', files.length)
  say('wiring lines', wiring)
  say(`files below ${smallBelow} lines that one other file imports`, smallOfOne())
  say('type names declared twice', declaredTwice())
  const tests = globSync('test/**/*.{ts,js}', { cwd: top })
  say('code lines of test/', sum(tests.map((file) => linesOfCode(read(file)))))
  const { all, forUsers, generated } = wordsOfDocs()
  say('words of docs/', all)
  say('  for users, without generated tables', forUsers)
  say('  generated tables for users', generated)
}

/** Counts the words of the documents. Those for users are what `docs/README.md` lists. */
export function wordsOfDocs(): {
  readonly all: number
  readonly forUsers: number
  readonly generated: number
} {
  const index = read('docs/README.md')
  const listed = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page = '']) => read(`docs/${page}`))
  const isGenerated = (text: string) => text.startsWith('<!-- Written by')
  const count = (texts: readonly string[]) =>
    sum(texts.map((text) => text.split(/\s+/).filter(Boolean).length))
  return {
    all: count(globSync('docs/**/*.md', { cwd: top }).map(read)),
    forUsers: count([index, ...listed.filter((text) => !isGenerated(text))]),
    generated: count(listed.filter(isGenerated)),
  }
}

function linesOfCode(text: string): number {
  let count = 0
  let inComment = false
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (!inComment && line.startsWith('/*')) inComment = true
    else if (!inComment && line !== '' && !line.startsWith('//')) count++
    if (inComment && line.includes('*/')) inComment = false
  }
  return count
}

function smallOfOne(): number {
  const importers = new Map<string, Set<string>>()
  for (const { path, imports } of sources)
    for (const one of imports) {
      const target = targetOf(path, one)
      if (target !== undefined) importers.set(target, (importers.get(target) ?? new Set()).add(path))
    }
  return sources.filter(({ path, text }) => importers.get(path)?.size === 1 && linesOfCode(text) < smallBelow)
    .length
}

function declaredTwice(): number {
  const files = new Map<string, number>()
  for (const { code } of sources) {
    const declared = [...code.matchAll(/^(?:export )?(?:interface|type|class|enum) (\w+)/gm)]
    for (const name of new Set(declared.map(([, name = '']) => name)))
      files.set(name, (files.get(name) ?? 0) + 1)
  }
  return [...files.values()].filter((count) => count > 1).length
}

function read(file: string): string {
  return readFileSync(join(top, file), 'utf8')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function say(what: string, figure: number): void {
  process.stdout.write(`${what.padEnd(50)} ${String(figure).padStart(7)}\n`)
}

if (import.meta.main) main()

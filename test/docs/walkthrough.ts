/**
 * One chapter of a page, with its steps:
 * - In a `console` block, a line that begins with `$ ` is typed, and the lines below it are the output. A `\` at the
 *   end of a line continues the command.
 * - A block of code whose first line is a comment with the name of a file, such as `// lookup.mjs`, is saved under that
 *   name.
 */
export interface Chapter {
  readonly title: string
  readonly steps: readonly Step[]
}

export type Step =
  | { readonly kind: 'type'; readonly line: number; readonly command: string; readonly output: string }
  | { readonly kind: 'save'; readonly line: number; readonly path: string; readonly text: string }

interface Line {
  readonly number: number
  readonly text: string
}

const fence = /^```(\w*)$/

/** Returns only the chapters that have steps. The text before the first heading is a chapter too. */
export function chaptersOf(markdown: string): readonly Chapter[] {
  const chapters: { title: string; steps: Step[] }[] = [{ title: 'before all chapters', steps: [] }]
  let block: { readonly language: string; readonly lines: Line[] } | undefined
  for (const [index, text] of markdown.split('\n').entries()) {
    const opened = fence.exec(text)?.[1]
    if (block === undefined && opened !== undefined) {
      block = { language: opened, lines: [] }
    } else if (block !== undefined && opened === '') {
      chapters.at(-1)?.steps.push(...stepsOf(block.language, block.lines))
      block = undefined
    } else if (block !== undefined) {
      block.lines.push({ number: index + 1, text })
    } else if (text.startsWith('## ')) {
      chapters.push({ title: text.slice(3), steps: [] })
    }
  }
  if (block !== undefined) throw new Error('a block is not closed')
  return chapters.filter(({ steps }) => steps.length > 0)
}

function stepsOf(language: string, lines: readonly Line[]): readonly Step[] {
  return language === 'console' ? typed(lines) : saved(lines)
}

function typed(lines: readonly Line[]): readonly Step[] {
  const steps: { kind: 'type'; line: number; command: string; output: string }[] = []
  let goesOn = false
  for (const { number, text } of lines) {
    const last = steps.at(-1)
    if (text.startsWith('$ ')) steps.push({ kind: 'type', line: number, command: text.slice(2), output: '' })
    else if (last === undefined) throw new Error(`line ${number}: there is output and no command`)
    else if (goesOn) last.command += `\n${text}`
    else last.output += `${text}\n`
    goesOn = (goesOn || text.startsWith('$ ')) && text.endsWith('\\')
  }
  return steps
}

function saved(lines: readonly Line[]): readonly Step[] {
  const [first, ...rest] = lines
  const path = /^\/\/ (\S+\.\w+)$/.exec(first?.text ?? '')?.[1]
  if (first === undefined || path === undefined) return []
  return [{ kind: 'save', line: first.number, path, text: rest.map(({ text }) => `${text}\n`).join('') }]
}

/**
 * Whether an output matches the output on the page. On the page, `...` in a line stands for any text, and `...` alone
 * for any number of lines. `<words>` stands for a text without spaces. Numbers of spaces do not matter.
 */
export function isAsStated(stated: string, output: string): boolean {
  return patternOf(stated, '$').test(tidy(output))
}

export function hasStated(stated: string, output: string): boolean {
  return patternOf(stated, '').test(tidy(output))
}

function patternOf(stated: string, end: '$' | ''): RegExp {
  const lines = tidy(stated)
    .split('\n')
    .slice(0, -1)
    .map((line) => (line === '...' ? '(?:.*\\n)*?' : `${linePattern(line)}\\n`))
  return new RegExp(`^${lines.join('')}${end}`)
}

function linePattern(line: string): string {
  const parts = line.split(/(\.\.\.|<[a-z][a-z ]*>)/)
  return parts
    .map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : part === '...' ? '.*' : '\\S+'))
    .join('')
}

function tidy(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => !/^npm (?:warn|notice)\b/.test(line))
  const said = lines.join('\n').trim()
  return said === '' ? '' : `${said}\n`
}

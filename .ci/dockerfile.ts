import { readFileSync } from 'node:fs'

/** One instruction of a Dockerfile, its lines joined: `RUN`, `npm ci`. */
export interface Instruction {
  readonly name: string
  readonly rest: string
}

/** What stands between one `FROM` and the next. */
export interface Stage {
  /** `FROM ... AS build`. */
  readonly name: string | undefined
  readonly base: string
  readonly instructions: readonly Instruction[]
}

/** The stages of the project's Dockerfile. */
export function dockerfile(): readonly Stage[] {
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = []
  for (const { name, rest } of instructions()) {
    const [base = '', , as] = rest.split(' ')
    if (name === 'FROM') stages.push({ name: as, base, instructions: [] })
    else stages.at(-1)?.instructions.push({ name, rest })
  }
  return stages
}

/** What the instructions of this name say. */
export function said({ instructions }: Stage, name: string): readonly string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
}

/** `ENV`'s variables. */
export function variablesOf(stage: Stage): Readonly<Record<string, string>> {
  const pairs = said(stage, 'ENV').flatMap((rest) => rest.split(' '))
  return Object.fromEntries(pairs.map((pair) => pair.split('=')))
}

function instructions(): readonly Instruction[] {
  return readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
      return { name, rest }
    })
}

import { readFileSync } from 'node:fs'

/**
 * One instruction of a Dockerfile, its lines joined. In `RUN npm ci`, the name is `RUN` and the rest is `npm ci`.
 */
export interface Instruction {
  readonly name: string
  readonly rest: string
}

/** A stage of a Dockerfile: the instructions from one `FROM` to the next. */
export interface Stage {
  /** The name in `FROM ... AS build`. Undefined if the stage has none. */
  readonly name: string | undefined
  readonly base: string
  readonly instructions: readonly Instruction[]
}

/**
 * Returns the stages of a Dockerfile.
 * @param path relative to the project; by default, the project's own Dockerfile.
 */
export function dockerfile(path = 'Dockerfile'): readonly Stage[] {
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = []
  for (const { name, rest } of instructions(path)) {
    const [base = '', , as] = rest.split(' ')
    if (name === 'FROM') stages.push({ name: as, base, instructions: [] })
    else stages.at(-1)?.instructions.push({ name, rest })
  }
  return stages
}

/** Returns the text after the name of each instruction with this name. */
export function said({ instructions }: Stage, name: string): readonly string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
}

/** Returns the variables that `ENV` sets. */
export function variablesOf(stage: Stage): Readonly<Record<string, string>> {
  const pairs = said(stage, 'ENV').flatMap((rest) => rest.split(' '))
  return Object.fromEntries(pairs.map((pair) => pair.split('=')))
}

function instructions(path: string): readonly Instruction[] {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
      return { name, rest }
    })
}

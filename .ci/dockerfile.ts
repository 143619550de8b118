import { readFileSync } from 'node:fs'

/** In `RUN npm ci`, `name` is `RUN` and `rest` is `npm ci`. An instruction of several lines is joined to one line. */
export interface Instruction {
  readonly name: string
  readonly rest: string
}

export interface Stage {
  /** `build` in `FROM node AS build`. Undefined if the stage has no name. */
  readonly name: string | undefined
  readonly base: string
  readonly instructions: readonly Instruction[]
}

/** Returns the stages of the Dockerfile at `path`, which is relative to the top of the repository. */
export function dockerfile(path = 'Dockerfile'): readonly Stage[] {
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = []
  for (const { name, rest } of instructions(path)) {
    const [base = '', , as] = rest.split(' ')
    if (name === 'FROM') stages.push({ name: as, base, instructions: [] })
    else stages.at(-1)?.instructions.push({ name, rest })
  }
  return stages
}

export function said({ instructions }: Stage, name: string): readonly string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
}

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

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { top } from '../arch/sources.ts'

const folder = join(top, 'deploy/systemd')

export const unitFile = join(folder, 'bft-scan-proxy.service')

export function unitValues(key: string): readonly string[] {
  return assignmentsIn(unitFile).flatMap(([name, value]) => (name === key ? [value] : []))
}

export function unitEnvironment(): Readonly<Record<string, string>> {
  const stated = unitValues('Environment').flatMap((value) =>
    value.split(' ').map((pair) => assignment(pair)),
  )
  const inFile = assignmentsIn(join(folder, 'environment')).map(
    ([name, value]) => [name, value.replace(/^'(.*)'$/, '$1')] as const,
  )
  return Object.fromEntries([...stated, ...inFile])
}

function assignmentsIn(file: string): readonly (readonly [name: string, value: string])[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => assignment(line))
}

function assignment(text: string): readonly [name: string, value: string] {
  const end = text.indexOf('=')
  return [text.slice(0, end), text.slice(end + 1)]
}

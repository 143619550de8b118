import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../src/base/config/parse.ts'
import { startDaemon } from '../src/daemon.ts'

/** Asks a daemon with a localnet, because a localnet brings an embedded ledger and thus every part of the API. */
export async function openApiFile(): Promise<string> {
  const parsed = parseConfig({
    network: 'localnet',
    http: { port: 0 },
    operations: { port: 0 },
    logLevel: 'silent',
  })
  if (!parsed.ok) throw new Error(parsed.problems.join('; '))
  await using daemon = await startDaemon(parsed.config)
  const response = await fetch(`${daemon.http}/openapi.json`)
  return printed((await response.json()) as OpenApiFile)
}

interface OpenApiFile {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** Prints each operation and each component on a line of its own, so that a diff shows where a change is. */
function printed({ paths, components, ...rest }: OpenApiFile): string {
  const operations = Object.entries(paths).map(
    ([path, methods]) => `${JSON.stringify(path)}: {\n${lines(methods)}\n}`,
  )
  const kinds = Object.entries(components).map(
    ([kind, members]) => `${JSON.stringify(kind)}: {\n${lines(members)}\n}`,
  )
  return [
    JSON.stringify(rest).slice(0, -1),
    `,"components": {\n${kinds.join(',\n')}\n}`,
    `,"paths": {\n${operations.join(',\n')}\n}}\n`,
  ].join('\n')
}

function lines(members: Readonly<Record<string, object>>): string {
  return Object.entries(members)
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../docs/openapi.json', import.meta.url)), await openApiFile())
}

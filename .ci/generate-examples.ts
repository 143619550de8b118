import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { samples } from '../test/reads/samples.ts'

const lineWidth = 110

export function examplesFile(): string {
  const rows = Object.entries(samples).map(([id, sample]) => {
    const text = quoted(JSON.stringify(sample))
    const line = `  ${id}: ${text},`
    return line.length <= lineWidth ? line : `  ${id}:\n    ${text},`
  })
  return `// Written by .ci/generate-examples.ts from test/reads/samples.ts.
import type { ReadId } from '../reads/endpoints.ts'

/** For each read, JSON text: \`params\` is an example question, \`reply\` is the body of a scan's reply. */
export const examples: Readonly<Record<ReadId, string>> = {
${rows.join('\n')}
}
`
}

function quoted(json: string): string {
  return `'${json.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../src/http/examples.ts', import.meta.url)), examplesFile())
}

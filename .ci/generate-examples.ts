import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { samples } from '../test/reads/samples.ts'

/** Each read has a line, so that a diff shows which one has changed. */
export function examplesFile(): string {
  const lines = Object.entries(samples).map(([id, sample]) => `${id} ${JSON.stringify(sample)}`)
  const text = lines.join('\n')
  if (/`|\$\{/.test(text)) throw new Error('a template of JavaScript cannot hold this text')
  return `// Written by .ci/generate-examples.ts from test/reads/samples.ts.

/**
 * For each read a line with its id and JSON text: \`params\` is an example question, \`reply\` is the
 * body of a scan's reply.
 */
export const examples = String.raw\`
${text}
\`
`
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../src/server/http/examples.ts', import.meta.url)), examplesFile())
}

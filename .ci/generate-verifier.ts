import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const top = fileURLToPath(new URL('..', import.meta.url))
const file = 'src/server/ui/assets/verifier.min.js'

const entry = `
export { BadPin, MalformedReceipt, parseReceipt, verifyReceipt } from './src/client/receipts/receipts.ts'
export { questionAbout } from './src/client/receipts/lookup-with-receipts.ts'
`

/** Bundles `bft-scan-proxy/client/receipts` into one file for the page, with only the functions that the page calls. */
export async function verifierFile(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: top,
    stdin: { contents: entry, resolveDir: top },
    banner: { js: '// Written by .ci/generate-verifier.ts from src/client/receipts.' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'inline',
    logLevel: 'silent',
  })
  return (outputFiles[0] as { readonly text: string }).text
}

if (import.meta.main) writeFileSync(new URL(`../${file}`, import.meta.url), await verifierFile())

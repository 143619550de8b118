/**
 * Writes the APIs of the published npm clients as OpenAPI files, in the folders in which Splice and Canton publish
 * theirs:
 *
 *     node .ci/write-client-types.ts <folder>
 *
 * Checks read these files if the published files are not at hand.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { documentOf } from './client-types.ts'

const packages = join(import.meta.dirname, '../node_modules/@canton-network')
const splice = 'core-splice-client/dist/generated-clients'
const tokens = 'core-token-standard/dist/generated-clients'
const registry = ['metadata', 'transfer-instruction', 'allocation', 'allocation-instruction'].map((api) => {
  const folder = `splice-api-token-${api}-v1`
  const file = api === 'metadata' ? 'token-metadata-v1' : `${api}-v1`
  return [`${tokens}/${folder}/${file}.d.ts`, `splice/token-standard/${folder}/openapi/${file}.yaml`] as const
})

const files = [
  [`${splice}/scan.d.ts`, 'splice/apps/scan/src/main/openapi/scan.yaml'],
  [`${splice}/scan-proxy.d.ts`, 'splice/apps/validator/src/main/openapi/scan-proxy.yaml'],
  ...registry,
  ['core-ledger-client-types/dist/generated-clients/openapi-3.5.1.d.ts', 'ledger-api/openapi-3.5.yaml'],
] as const

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: node .ci/write-client-types.ts <folder>\n')
  process.exit(2)
}
for (const [types, file] of files) {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  // The files are named `.yaml`, and JSON is valid YAML.
  writeFileSync(path, JSON.stringify(documentOf(readFileSync(join(packages, types), 'utf8'))))
}

/**
 * Compares the lists of published operations that the tests use with the published OpenAPI files:
 *
 *     node .ci/check-served.ts <openapi-3.6.yaml> [<folder with Splice's apps/>]
 *
 * Without Splice's folder it does not check the Wallet API, of which no npm client has types, and says so. Prints
 * each difference and exits with 1 if there is one.
 */
import { join, resolve } from 'node:path'
import { ledgerApiOperations, walletOperations } from '../test/support/published-operations.ts'
import { isFromTypes, load, type Yaml } from './published.ts'

/** Operations of Canton 3.5 that Canton 3.6 lacks. The npm clients have them, because they were made for Canton 3.5. */
const removed = [
  'GET /v2/package-vetting',
  'POST /v2/package-vetting',
  'POST /v2/updates/flats',
  'POST /v2/updates/trees',
  'GET /v2/updates/transaction-tree-by-offset/{offset}',
  'GET /v2/updates/transaction-tree-by-id/{update-id}',
  'POST /v2/updates/transaction-by-offset',
  'POST /v2/updates/transaction-by-id',
  'GET /v2/interactive-submission/preferred-package-version',
]

const methods = ['get', 'post', 'put', 'patch', 'delete']

function linesIn(file: string): readonly string[] {
  const paths = Object.entries((load(resolve(file))['paths'] ?? {}) as Readonly<Record<string, Yaml>>)
  return paths.flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) =>
      methods.includes(method) ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  )
}

function differencesOf(
  api: string,
  listed: string,
  file: string,
  published: readonly string[],
): readonly string[] {
  const lines = listed.trim().split('\n')
  // A file made from the npm clients describes an older release, which lacks some of the listed operations.
  const unpublished = isFromTypes(resolve(file)) ? [] : lines.filter((line) => !published.includes(line))
  const missing = published.filter((line) => !lines.includes(line) && !removed.includes(line))
  return [
    ...missing.map((line) => `${api}: ${line} is not listed`),
    ...unpublished.map((line) => `${api}: ${line} is not published`),
  ]
}

function ledgerApiDifferences(file: string): readonly string[] {
  const published = linesIn(file).filter((line) => line.includes(' /v2/'))
  return differencesOf('Ledger API', ledgerApiOperations, file, published)
}

function walletDifferences(folder: string): readonly string[] {
  const files = ['wallet-internal.yaml', 'wallet-external.yaml'].map((name) =>
    join(folder, 'apps/wallet/src/main/openapi', name),
  )
  return differencesOf('Wallet API', walletOperations, files[0] ?? '', files.flatMap(linesIn))
}

const [ledgerApi, splice] = process.argv.slice(2)
if (ledgerApi === undefined) {
  process.stderr.write(
    `usage: node ${join('.ci', 'check-served.ts')} <openapi-3.6.yaml> [<folder with apps/>]\n`,
  )
  process.exit(2)
}
if (splice === undefined) {
  process.stdout.write("the Wallet API's list is not checked: that takes Splice's wallet-*.yaml files\n")
}
const found = [...ledgerApiDifferences(ledgerApi), ...(splice === undefined ? [] : walletDifferences(splice))]
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? 'the lists of published operations are complete\n'
    : `${found.length} differences from the published operations\n`,
)
process.exitCode = found.length === 0 ? 0 : 1

/**
 * Holds the lists of published operations that the tests go by against the published OpenAPI files:
 *
 *     node .ci/check-served.ts <openapi-3.6.yaml> <folder with Splice's apps/>
 *
 * Prints each difference and exits with 1 if there is one.
 */
import { join, resolve } from 'node:path'
import { ledgerApiOperations, walletOperations } from '../test/support/published-operations.ts'
import { load, type Yaml } from './published.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete']

function linesIn(file: string): readonly string[] {
  const paths = Object.entries((load(resolve(file))['paths'] ?? {}) as Readonly<Record<string, Yaml>>)
  return paths.flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) =>
      methods.includes(method) ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  )
}

function differencesOf(api: string, listed: string, published: readonly string[]): readonly string[] {
  const lines = listed.trim().split('\n')
  return [
    ...published.filter((line) => !lines.includes(line)).map((line) => `${api}: ${line} is not listed`),
    ...lines.filter((line) => !published.includes(line)).map((line) => `${api}: ${line} is not published`),
  ]
}

const [ledgerApi, splice] = process.argv.slice(2)
if (ledgerApi === undefined || splice === undefined) {
  process.stderr.write(
    `usage: node ${join('.ci', 'check-served.ts')} <openapi-3.6.yaml> <folder with apps/>\n`,
  )
  process.exit(2)
}
const wallet = ['wallet-internal.yaml', 'wallet-external.yaml'].flatMap((name) =>
  linesIn(join(splice, 'apps/wallet/src/main/openapi', name)),
)
const found = [
  ...differencesOf(
    'Ledger API',
    ledgerApiOperations,
    linesIn(ledgerApi).filter((line) => line.includes(' /v2/')),
  ),
  ...differencesOf('Wallet API', walletOperations, wallet),
]
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? 'the lists of published operations are complete\n'
    : `${found.length} differences from the published operations\n`,
)
process.exitCode = found.length === 0 ? 0 : 1

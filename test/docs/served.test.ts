import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { withoutLedgerApi } from '../../src/server/http/routes/ledger-api.ts'
import { walletRoutes } from '../../src/server/http/routes/wallet.ts'
import { ledgerApiOperations, walletOperations } from '../support/published-operations.ts'

const nothing = new Proxy(
  {},
  { get: () => () => Promise.reject(new Error('nothing is asked here')) },
) as never
const wallet = walletRoutes({ verifier: nothing, users: nothing, wallet: nothing })
const lineOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`
const isAtRoot = ({ path }: { readonly path: string }) => !path.startsWith('/api/validator')

const apis = [
  ['the Ledger API', ledgerApiOperations, withoutLedgerApi.map(lineOf), '## Of the JSON Ledger API'],
  ['the Wallet API', walletOperations, wallet.filter(isAtRoot).map(lineOf), '## Of the Wallet API'],
] as const

function operationsUnder(heading: string): readonly string[] {
  const text = readFileSync(new URL('../../docs/build/unserved.md', import.meta.url), 'utf8')
  const [, section = ''] = text.split(`${heading}\n`)
  const [own = ''] = section.split('\n## ')
  const cells = own
    .split('\n')
    .flatMap((line) => (line.startsWith('| `') ? [line.split(' | ')[0] ?? ''] : []))
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Z]+ \/[^`]+)`/g)].map(([, line = '']) => line))
}

describe.each(apis)('of %s', (_, published, served, heading) => {
  const operations = published.trim().split('\n')
  const isOurs = (line: string) => !operations.includes(line)

  test('every operation is served, or the documentation says that it is not', () => {
    const missing = operations.filter((line) => !served.includes(line))
    expect(operationsUnder(heading).toSorted()).toEqual(missing.toSorted())
  })

  test('nothing is served under its paths that is not published, but for what is our own', () => {
    expect(served.filter(isOurs)).toEqual(
      heading.endsWith('Wallet API') ? ['GET /v0/wallet/auto-renewal', 'PUT /v0/wallet/auto-renewal'] : [],
    )
  })
})

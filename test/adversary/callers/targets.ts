import { reads } from '../../../src/core/reads/table.ts'
import { samples } from '../../reads/samples.ts'
import type { Addresses } from './victim.ts'

export interface Target {
  readonly at: keyof Addresses
  readonly method: string
  /** The path contains `{name}` for each path parameter. */
  readonly path: string
  readonly query: readonly string[]
  readonly sample: string | undefined
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: unknown
}

const operations: readonly (readonly [
  method: string,
  path: string,
  query?: readonly string[],
  sample?: string,
])[] = [
  ['GET', '/metrics'],
  ['GET', '/livez'],
  ['GET', '/readyz', ['quorum']],
  ['GET', '/status'],
  ['GET', '/evidence'],
  ['GET', '/', ['by', 'q', 'all']],
  ['GET', '/ui/events'],
  ['POST', '/ui/faults', [], 'sv=sv-1'],
  ['POST', '/ui/registrations', [], 'name=mallory&user=mallory&url=&description='],
]

const control: typeof operations = [
  ['GET', '/super-validators'],
  ['GET', '/super-validators/{name}'],
  ['PUT', '/super-validators/{name}/fault', [], '{"kind":"skew","by":1}'],
  ['DELETE', '/super-validators/{name}/fault'],
  ['GET', '/faults'],
  ['DELETE', '/faults'],
  ['GET', '/time'],
  ['POST', '/time/advance', [], '{"duration":"1s"}'],
]

const everything =
  '{"includeTransactions":{"transactionShape":"TRANSACTION_SHAPE_LEDGER_EFFECTS","eventFormat":{"filtersByParty":{},"filtersForAnyParty":{"cumulative":[{"identifierFilter":{"WildcardFilter":{"value":{}}}}]}}}}'

const ledgerSamples: Readonly<Record<string, string>> = {
  '/v2/updates': `{"beginExclusive":0,"endInclusive":1,"updateFormat":${everything}}`,
  '/v2/updates/get-updates-page': `{"maxPageSize":2,"updateFormat":${everything}}`,
  '/v2/state/active-contracts':
    '{"activeAtOffset":1,"eventFormat":{"filtersByParty":{"a::b":{"cumulative":[]}},"verbose":false}}',
  '/v2/updates/update-by-offset': `{"offset":1,"updateFormat":${everything}}`,
  '/v2/updates/update-by-id': `{"updateId":"1220${'a'.repeat(64)}","updateFormat":${everything}}`,
  '/v2/updates/update-by-hash': `{"transactionHash":"YWJj","updateFormat":${everything}}`,
}

const userSamples: Readonly<Record<string, string>> = {
  '/v0/entry/create': '{"name":"mallory.unverified.cns","url":"","description":""}',
  '/v0/wallet/tap': '{"amount":"1.0","command_id":"one"}',
  '/v0/wallet/auto-renewal': '{"enabled":true}',
}

/** The operations of the public address come from the OpenAPI file that the daemon serves. */
export async function targetsOf(addresses: Addresses): Promise<readonly Target[]> {
  const response = await fetch(`${addresses.http}/openapi.json`)
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Described>> }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]): Target => {
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
      return { at: 'http', method: method.toUpperCase(), path, query, sample: sampleOf(path) }
    }),
  )
  const own = (at: keyof Addresses, rows: typeof operations) =>
    rows.map(([method, path, query = [], sample]): Target => ({ at, method, path, query, sample }))
  return [...described, ...own('operations', operations), ...own('control', control)]
}

function sampleOf(path: string): string | undefined {
  const plain = path.replace(/^\/api\/(?:scan|validator)/, '')
  const read = Object.values(reads).find(({ scanPath, proxy }) => [scanPath, proxy?.path].includes(plain))
  const body = read && (samples[read.id as keyof typeof samples].params as Record<string, string>)['body']
  return body ?? ledgerSamples[plain] ?? userSamples[plain]
}

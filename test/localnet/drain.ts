import type { Micros } from '../../src/localnet/world/contract.ts'
import { timeOf } from '../../src/registry/ledger/daml/time.ts'
import { type AskOptions, ask } from './ask.ts'

export const mirroredTemplates = [
  'splice-amulet-name-service:Splice.Ans:AnsEntry',
  'splice-amulet-name-service:Splice.Ans:AnsRules',
  'splice-dso-governance:Splice.DsoRules:DsoRules',
]

// biome-ignore lint/suspicious/noExplicitAny: tests read members of many types from it
type Served = any

interface SnapshotHeard {
  readonly status: number
  readonly json: Served
}

/** With `version`, the page is asked in that version of the API, of which only v1 has numbers for tokens. */
export async function snapshotAt(
  url: string,
  at: Micros,
  { version = 'v2', ...more }: { readonly version?: 'v1' | 'v2' } & Record<string, unknown> = {},
): Promise<SnapshotHeard> {
  const asked = { migration_id: 0, record_time: timeOf(at), record_time_match: 'exact', page_size: 10 }
  const options: AskOptions = { method: 'POST', body: JSON.stringify({ ...asked, ...more }) }
  const { status, text } = await ask(url, `/api/scan/${version}/state/acs`, options)
  return { status, json: JSON.parse(text) }
}

export interface Drained {
  readonly pages: number
  readonly tokens: readonly unknown[]
  readonly rows: readonly Served[]
  readonly contracts: readonly Served[]
  readonly ids: readonly string[]
}

export async function drain(
  url: string,
  at: Micros,
  { size = 10, most = 100, templates = mirroredTemplates, version = 'v2' }: DrainOptions = {},
): Promise<Drained> {
  const rows: Served[] = []
  const tokens: unknown[] = []
  let pages = 0
  for (let more: Record<string, unknown> = {}; pages < most; more = { after: tokens.at(-1) }) {
    const { status, json } = await snapshotAt(url, at, { page_size: size, templates, version, ...more })
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`)
    pages++
    rows.push(...json.created_events)
    if (json.next_page_token === null) break
    tokens.push(json.next_page_token)
  }
  const contracts = rows.toSorted((a, b) => (a.contract_id < b.contract_id ? -1 : 1))
  return { pages, tokens, rows, contracts, ids: contracts.map((contract) => contract.contract_id) }
}

interface DrainOptions {
  readonly size?: number
  readonly most?: number
  readonly templates?: readonly string[]
  readonly version?: 'v1' | 'v2'
}

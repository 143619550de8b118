import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { Read } from '../../src/core/reads/read.ts'
import { upstreamOf } from '../../src/core/reads/request.ts'
import { reads } from '../../src/core/reads/table.ts'
import type { WorldLocalnet } from '../../src/localnet/localnet.ts'
import type { ReadId as LocalnetRead } from '../../src/localnet/reads.ts'
import type { AskOptions, Heard } from '../localnet/ask.ts'
import { type Stage, settled } from '../support/daemon.ts'
import { questionsTo } from '../support/every-question.ts'

export interface Question {
  readonly what: string
  readonly path: string
  readonly options?: AskOptions
  readonly status: number
  readonly truth: unknown
}

/** Switches the cache off, so that the quorum answers every question. */
export const nothingKept: Readonly<Record<string, string>> = Object.fromEntries(
  readIds.flatMap((id) => ['fresh', 'stale', 'absent'].map((time) => [`cache.times.${id}.${time}`, '0s'])),
)

export const byName = (name: string) => `/v0/scan-proxy/ans-entries/by-name/${encodeURIComponent(name)}`
export const byParty = (party: string) => `/v0/scan-proxy/ans-entries/by-party/${encodeURIComponent(party)}`

const post: AskOptions = { method: 'POST', body: '{}' }

/**
 * Returns one question of every kind. Also registers two names: nodes that lag do not know the first name yet, and for
 * nodes with a fast clock the second name has expired.
 */
export function questionsAbout(
  { truth, world, superValidators }: WorldLocalnet,
  wall: number,
): readonly Question[] {
  const second = 1_000
  world.put(
    { name: 'fresh.unverified.cns', user: 'fresh::1220ab', expiresAt: wall + 3_600 * second },
    wall - second,
  )
  world.put(
    { name: 'soon.unverified.cns', user: 'soon::1220ab', expiresAt: wall + 30 * second },
    wall - 60 * second,
  )
  const named = (name: string): Question => ({
    what: name,
    path: byName(name),
    status: 200,
    truth: { entry: truth.entryByName(name) },
  })
  const owned = (party: string): Question => ({
    what: `the name of ${party.slice(0, 20)}`,
    path: byParty(party),
    status: 200,
    truth: { entry: truth.entryByParty(party) },
  })
  const listed = (prefix: string, size: number): Question => ({
    what: `names from ${prefix}`,
    path: `/v0/ans-entries?page_size=${size}&name_prefix=${prefix}`,
    status: 200,
    truth: { entries: inServedOrder(truth.entries(prefix, 1_000)).slice(0, size) },
  })
  const ownerOf = (name: string) => truth.entryByName(name)?.user ?? ''
  return [
    named('alice.unverified.cns'),
    named('fresh.unverified.cns'),
    named('soon.unverified.cns'),
    named('dso.cns'),
    {
      what: 'a name that nobody has',
      path: byName('nobody.unverified.cns'),
      status: 404,
      truth: { error: 'Did not find a AnsEntry with name nobody.unverified.cns' },
    },
    owned(ownerOf('bob.unverified.cns')),
    owned(ownerOf('acme.unverified.cns')),
    owned(superValidators[0]?.party ?? ''),
    {
      what: 'the name of a party that has none',
      path: byParty('nobody::1220ab'),
      status: 404,
      truth: { error: 'Party nobody::1220ab does not have any ANSEntry.' },
    },
    listed('', 1_000),
    listed('bo', 10),
    {
      what: 'no names',
      path: '/v0/ans-entries?page_size=9&name_prefix=nobody',
      status: 200,
      truth: { entries: [] },
    },
    {
      what: 'the rules of names',
      path: '/v0/scan-proxy/ans-rules',
      options: post,
      status: 200,
      truth: { ans_rules_update: truth.ansRules() },
    },
    {
      what: 'the rules of amulets',
      path: '/v0/scan-proxy/amulet-rules',
      status: 200,
      truth: { amulet_rules: truth.amuletRules() },
    },
    {
      what: 'the DSO',
      path: '/v0/scan-proxy/dso-party-id',
      status: 200,
      truth: { dso_party_id: truth.dsoParty() },
    },
    { what: 'the scans', path: '/api/scan/v0/scans', status: 200, truth: inOrderOfNames(truth.scans()) },
  ]
}

/** Sorts the super validators of each synchronizer by the code points of their names. */
function inOrderOfNames({ scans }: ReturnType<WorldLocalnet['truth']['scans']>): unknown {
  const byName = (a: { readonly svName: string }, b: { readonly svName: string }) =>
    a.svName < b.svName ? -1 : 1
  return { scans: scans.map((group) => ({ ...group, scans: group.scans.toSorted(byName) })) }
}

export function saidIn({ status, text }: Heard): { readonly status: number; readonly truth: unknown } {
  return { status, truth: JSON.parse(text) }
}

/**
 * Sorts the entries as the daemon serves them: the entries of users first, by the code points of their names, and then
 * the entries of the DSO as scans sort them.
 */
function inServedOrder<Entry extends { readonly name: string; readonly contract_id: string | null }>(
  entries: readonly Entry[],
): readonly Entry[] {
  const users = entries.filter((entry) => entry.contract_id !== null)
  const others = entries.filter((entry) => entry.contract_id === null)
  const points = ({ name }: Entry) =>
    [...name].map((sign) => sign.codePointAt(0)?.toString(16).padStart(6, '0')).join()
  return [...users.toSorted((a, b) => (points(a) < points(b) ? -1 : 1)), ...others]
}

/** Reads with the question of `everyQuestion`, without the forms of older releases, and waits for all replies. */
export async function read(stage: Stage, id: ReadId): Promise<Heard> {
  const { forms: _, ...own } = reads[id] as Read
  const { path, method, body = '' } = upstreamOf({ read: own, params: questionsTo(stage.localnet)[id] })
  const heard = await stage.get(path, method === 'POST' ? { method, body } : {})
  await settled(stage)
  return heard
}

export function asksOf({ localnet }: Stage, names: readonly string[], id?: LocalnetRead): number {
  return names.reduce((sum, name) => sum + localnet.asks(name, id), 0)
}

import { describe, expect, test } from 'vitest'
import type { ReleaseName } from '../../src/localnet/releases.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import { type Running, type Stage, startLiveRemote, startLiveStage } from '../support/daemon.ts'

const acs = '/api/scan/v2/state/acs'
const holdings = '/api/scan/v2/holdings/state'

type Body = Readonly<Record<string, unknown>>
interface Page {
  readonly record_time: string
  readonly created_events: readonly { readonly contract_id: string }[]
  readonly next_page_token: string | null
}

const post = (body: Body): AskOptions => ({ method: 'POST', body: JSON.stringify(body) })
const idsIn = ({ created_events: events }: Page) => events.map(({ contract_id: id }) => id)
const pageIn = ({ text }: Heard): Page => JSON.parse(text)
const errorIn = ({ status, text }: Heard) => ({ status, error: JSON.parse(text).error })

/** A question for the last snapshot but one, which every scan has. */
function whole({ localnet }: Pick<Stage<undefined>, 'localnet'>): Body {
  const record_time = new Date((localnet.world.snapshotTimes.at(-2) ?? 0) / 1000).toISOString()
  return { migration_id: 0, record_time, page_size: 5 }
}

/** Returns all contracts of the snapshot as one scan has them, and how many pages of five those are. */
async function truthOf(stage: Stage<undefined>, name = 'sv-1'): Promise<readonly string[]> {
  const scan = stage.localnet.superValidators.find((one) => one.name === name)
  const body = post({ ...whole(stage), page_size: 1000 })
  const paths = ['/api/scan/v2/state/acs', '/api/scan/v1/state/acs']
  const heard = await Promise.all(paths.map((path) => ask(scan?.url ?? '', path, body)))
  const found = heard.find(({ status }) => status === 200)
  if (found === undefined) throw new Error(`no snapshot: ${heard.map(({ text }) => text).join()}`)
  return idsIn(pageIn(found))
}

/** Reads page after page. `between` is called before each page but the first. */
async function walk(
  running: Pick<Running<undefined>, 'get'>,
  body: Body,
  between: (page: number) => unknown = () => {},
): Promise<readonly string[]> {
  const ids: string[] = []
  let after: string | null = null
  for (let count = 1; ; count++) {
    const heard: Heard = await running.get(acs, post(after === null ? body : { ...body, after }))
    if (heard.status !== 200) throw new Error(`page ${count}: ${heard.status} ${heard.text}`)
    const page = pageIn(heard)
    ids.push(...idsIn(page))
    after = page.next_page_token
    if (after === null) return ids
    await between(count)
  }
}

function mixed(superValidators: number, releases: readonly ReleaseName[]): Promise<Stage<undefined>> {
  return startLiveStage({
    superValidators,
    config: { 'localnet.releases': releases, 'scanClient.requestTimeout': '2s' },
  })
}

const mixtures: readonly (readonly [
  n: number,
  liars: readonly string[],
  releases: readonly ReleaseName[],
])[] = [
  [4, ['sv-2'], ['0.9']],
  [4, ['sv-2'], ['0.7.5']],
  [4, ['sv-3'], ['0.7.5', '0.9']],
  [7, ['sv-2', 'sv-5'], ['0.7.5', '0.8', '0.9']],
]

describe('a whole snapshot, read page by page through a quorum', () => {
  test.each(mixtures)(
    'of %d super validators of which %s lie has every contract once: %s',
    async (n, liars, releases) => {
      await using stage = await mixed(n, releases)
      const truth = await truthOf(stage)
      expect(truth.length).toBeGreaterThan(10)
      await stage.fault(liars, 'lie')
      const ids = await walk(stage, whole(stage))
      expect(ids).toHaveLength(truth.length)
      expect([...ids].sort()).toEqual([...truth].sort())
    },
  )

  test.each([
    [4, 'sv-4', 'sv-2'],
    [7, 'sv-7', 'sv-2'],
  ] as const)('of %d goes on when %s falls silent between two pages while %s lies', async (n, lost, liar) => {
    await using stage = await mixed(n, ['0.7.5', '0.9'])
    const truth = await truthOf(stage)
    await stage.fault([liar], 'lie')
    const ids = await walk(stage, whole(stage), (page) => page === 1 && stage.fault([lost], 'refuse'))
    expect([...ids].sort()).toEqual([...truth].sort())
  })

  test('goes on when a scan is upgraded between two pages, or goes back to an older release', async () => {
    await using stage = await mixed(7, ['0.7.5', '0.9'])
    const truth = await truthOf(stage)
    const ids = await walk(stage, whole(stage), (page) => {
      if (page === 1) stage.localnet.setRelease('sv-1', '0.9')
      if (page === 2) stage.localnet.setRelease('sv-2', '0.7.5')
    })
    expect([...ids].sort()).toEqual([...truth].sort())
  })

  test('may change the size of the pages on the way', async () => {
    await using stage = await mixed(4, ['0.8'])
    const truth = await truthOf(stage)
    const first = pageIn(await stage.get(acs, post(whole(stage))))
    const rest = pageIn(
      await stage.get(acs, post({ ...whole(stage), page_size: 1000, after: first.next_page_token })),
    )
    expect([...idsIn(first), ...idsIn(rest)].sort()).toEqual([...truth].sort())
    expect(rest.next_page_token).toBeNull()
  })

  test('says where to begin again when too few of those that gave a page are left, and then gives it anew', async () => {
    await using stage = await mixed(4, ['0.7.5'])
    const { next_page_token: after } = pageIn(await stage.get(acs, post(whole(stage))))
    for (const name of stage.names.slice(1)) stage.localnet.setRelease(name, '0.9')
    const lost = await stage.get(acs, post({ ...whole(stage), after }))
    expect(errorIn(lost)).toEqual({
      status: 502,
      error:
        "Only 1 of the 4 super validators that gave the page before gave this one alike, and 2 have to. Begin again without 'after'.",
    })
    const body = { ...whole(stage), page_size: 6 }
    expect([...(await walk(stage, body))].sort()).toEqual([...(await truthOf(stage))].sort())
  })
})

describe('a page token', () => {
  test('is refused where it is altered, of another request, read or form, or of no daemon at all', async () => {
    await using stage = await mixed(4, ['0.9'])
    const body = whole(stage)
    const { next_page_token: token } = pageIn(await stage.get(acs, post(body)))
    const after = String(token)
    const before = stage.asks()
    const flipped = (at: number) =>
      `${after.slice(0, at)}${after[at] === 'A' ? 'B' : 'A'}${after.slice(at + 1)}`
    const owner = ['alice::1220ab']
    const bad: readonly (readonly [path: string, body: Body])[] = [
      ...[0, 1, 30, after.length - 1].map((at) => [acs, { ...body, after: flipped(at) }] as const),
      [acs, { ...body, after: '' }],
      [acs, { ...body, after: 'next page' }],
      [acs, { ...body, after: `${after}=` }],
      [acs, { ...body, after: after.slice(0, -4) }],
      [acs, { ...body, after: 'A'.repeat(1_000_000) }],
      [acs, { ...body, after, templates: ['a:b:c'] }],
      [acs, { ...body, after, party_ids: owner }],
      [acs, { ...body, after, record_time: '2026-01-01T00:00:00Z' }],
      [acs, { ...body, after, record_time_match: 'at_or_before' }],
      [acs, { ...body, after, migration_id: 1 }],
      [holdings, { ...body, after, owner_party_ids: owner }],
    ]
    for (const [path, asked] of bad) {
      const { status, text, headers } = await stage.get(path, post(asked))
      expect({ status, text, code: headers['x-bft-error'] }).toEqual({
        status: 400,
        text: `{"error":"The page token in 'after' is none that was given for this request. Begin again without 'after'."}`,
        code: 'unknownPageToken',
      })
    }
    expect((await stage.get(acs, post({ ...body, after: 17 }))).status).toBe(400)
    expect((await stage.get(acs, post({ ...body, after: 'A'.repeat(1_100_000) }))).status).toBe(413)
    expect(stage.asks()).toBe(before)
    expect((await stage.get(acs, post({ ...body, after }))).status).toBe(200)
  })

  test('is one for one page, and good at every daemon with the same secret, and at no other', async () => {
    await using stage = await mixed(4, ['0.7.5', '0.9'])
    const seeds = stage.localnet.superValidators.map(({ url }) => url)
    const config = (secret: string) => ({
      'cache.redis.url': 'redis://127.0.0.1:1',
      'cache.redis.secret': secret,
    })
    await using one = await startLiveRemote(seeds, config('a secret of at least 32 characters, one'))
    await using other = await startLiveRemote(seeds, config('a secret of at least 32 characters, one'))
    await using stranger = await startLiveRemote(seeds, config('a secret of at least 32 characters, two'))
    const body = whole(stage)
    const [first, again] = await Promise.all([one, other].map((daemon) => daemon.get(acs, post(body))))
    expect(again?.text).toBe(first?.text)
    const after = pageIn(first as Heard).next_page_token
    const continued = await Promise.all(
      [one, other].map((daemon) => daemon.get(acs, post({ ...body, after }))),
    )
    expect(continued.map(({ status }) => status)).toEqual([200, 200])
    expect(continued[1]?.text).toBe(continued[0]?.text)
    expect((await stranger.get(acs, post({ ...body, after }))).status).toBe(400)
  })

  test('fills no cache, and a page that is asked again without it has scans that answer', async () => {
    await using stage = await mixed(4, ['0.9'])
    const body = whole(stage)
    const first = await stage.get(acs, post(body))
    expect(first.headers['cache-status']).toContain('fwd=miss')
    expect((await stage.get(acs, post(body))).headers['cache-status']).toMatch(/hit; ttl=[1-5]$/)
    const after = pageIn(first).next_page_token
    for (let count = 0; count < 2; count++)
      expect((await stage.get(acs, post({ ...body, after }))).headers['cache-status']).toContain('fwd=miss')
  })
})

test('v0 and v1 give one page, and say that v2 goes on with it', async () => {
  await using stage = await mixed(4, ['0.9', '0.7.5'])
  for (const version of ['v0', 'v1']) {
    const path = `/api/scan/${version}/state/acs`
    const { status, text } = await stage.get(path, post(whole(stage)))
    expect({ status, token: JSON.parse(text).next_page_token }).toEqual({ status: 200, token: 1 })
    expect(errorIn(await stage.get(path, post({ ...whole(stage), after: 1 })))).toEqual({
      status: 501,
      error: expect.stringMatching(/Use \/v2, whose tokens go on with a page\.$/),
    })
  }
})

import { once } from 'node:events'
import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Heard } from '../localnet/ask.ts'
import { type Stage, startEmbedded, startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { Scans } from '../support/scans.ts'

const alice = '/?by=name&q=alice.unverified.cns'
const sameOrigin = { 'sec-fetch-site': 'same-origin' }

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ superValidators: 7, config: { 'ui.public': true } })
})

afterAll(() => stage[Symbol.asyncDispose]())

function form(fields: Record<string, string>, headers: Record<string, string> = sameOrigin) {
  const body = new URLSearchParams(fields).toString()
  return {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  }
}

/** The stance of every super validator that is drawn, by name. */
function drawn({ text }: Heard): Record<string, string> {
  const stands = text.matchAll(
    /<li class="stand stance-(\w+)">.*?<span class="stand-name"><bdi>(.*?)<\/bdi>/gs,
  )
  return Object.fromEntries([...stands].map(([, stance = '', name = '']) => [name, stance]))
}

/** As far as the first event of the page's stream, which stays open. */
async function listen(base: string) {
  const request = get(new URL('/ui/events', base))
  const [response] = await once(request, 'response')
  response.on('error', () => undefined)
  const [chunk] = await once(response, 'data')
  return { response, first: String(chunk), leave: () => request.destroy() }
}

describe('A look-up on the page', () => {
  test('asks everybody on the operations address, and draws the liar', async () => {
    await stage.fault(['sv-3'], 'lie')
    const heard = await stage.operations(alice)
    await stage.fault(['sv-3'], undefined)
    expect(heard.status).toBe(200)
    const all = Object.fromEntries(stage.names.map((name) => [name, 'agreed']))
    expect(drawn(heard)).toEqual({ ...all, 'sv-3': 'dissented' })
    expect(heard.text).toContain('6 of 7 super validators gave this answer; 3 had to.')
    expect(heard.text).toContain('sv-3 dissented')
    expect(heard.text).toMatch(/<mark>mallory::/)
  })

  test('asks as many as any read on the public address, and where that is wished for', async () => {
    for (const heard of [
      await stage.get(`${alice}&ask=all`),
      await stage.operations(`${alice}&ask=enough`),
    ]) {
      const counts = Object.groupBy(Object.values(drawn(heard)), (stance) => stance)
      expect(counts['agreed']).toHaveLength(3)
      expect(counts['unasked']).toHaveLength(4)
    }
  })

  test('says who is silent, and does not wait for them', async () => {
    await stage.fault(['sv-6'], 'hang')
    await stage.fault(['sv-7'], 'refuse')
    let isShown = false
    const looking = stage.operations(alice).finally(() => {
      isShown = true
    })
    await stage.localnet.nextRequest('sv-6')
    await eventually(() => {
      stage.clock.advance(10)
      return isShown
    })
    const heard = await looking
    await stage.fault(['sv-6', 'sv-7'], undefined)
    expect(drawn(heard)).toMatchObject({ 'sv-1': 'agreed', 'sv-6': 'silent', 'sv-7': 'silent' })
    expect(heard.text).toMatch(/silent · (?:unreachable|reset)/)
  })

  test('draws a dispute without an answer', async () => {
    await stage.fault(['sv-1', 'sv-2', 'sv-3', 'sv-4', 'sv-5', 'sv-6'], 'equivocate')
    const heard = await stage.operations(alice)
    await stage.fault(stage.names, undefined)
    expect(heard.status).toBe(200)
    expect(Object.values(drawn(heard))).toEqual(stage.names.map(() => 'voted'))
    expect(heard.text).toContain('Not agreed')
    expect(heard.text).not.toContain('class="entry"')
  })

  test('finds by party and by the beginning of names, and what there is not', async () => {
    const party = stage.localnet.truth.entryByName('alice.unverified.cns') as { user: string }
    const byParty = await stage.operations(`/?${new URLSearchParams({ by: 'party', q: party.user })}`)
    expect(byParty.text).toContain('<dd class="name"><bdi>alice.unverified.cns</bdi></dd>')
    const list = await stage.operations('/?by=prefix&q=sv-')
    expect(list.text).toContain('7 names begin so.')
    expect((await stage.operations('/?by=prefix&q=')).text).toContain('names begin so')
    const none = await stage.operations('/?by=name&q=nobody.unverified.cns')
    expect(none.text).toContain('Agreed: there is none')
    expect(none.text).toContain('No ans entry found for name: nobody.unverified.cns')
  })

  test('of what cannot be asked says why, and asks nobody', async () => {
    const before = stage.asks()
    const heard = await stage.operations('/?by=party&q=nobody')
    expect(heard.status).toBe(400)
    expect(heard.text).toContain('Invalid unique identifier `nobody` with missing namespace.')
    expect((await stage.operations(`/?q=${'x'.repeat(3000)}`)).status).toBe(400)
    expect((await stage.operations('/?by=nonsense&q=')).status).toBe(200)
    expect(stage.asks()).toBe(before)
  })

  test('counts like any read: votes, the last hour and the evidence', async () => {
    await using other = await startStage()
    await other.fault(['sv-2'], 'lie')
    await other.operations(alice)
    expect(
      (await other.metrics()).value('scan_proxy_votes_total', {
        sv: 'sv-1',
        read: 'lookupAnsEntryByName',
        vote: 'agree',
      }),
    ).toBe(1)
    expect(
      (await other.metrics()).value('scan_proxy_reads_total', {
        read: 'lookupAnsEntryByName',
        outcome: 'agreed',
      }),
    ).toBe(1)
    expect((await other.report('/evidence')).cases).toHaveLength(1)
    const { text } = await other.operations('/')
    expect(text).toContain('1 agreed')
    expect(text).toContain('sv-2 contradicted the others'.replace('sv-2', '<bdi>sv-2</bdi>'))
  })

  test('is a miss on the public address, even of what is cached, and too many are refused', async () => {
    await using other = await startStage({ config: { 'ui.public': true, 'http.missesPerSecond': 1 } })
    expect((await other.get(alice)).status).toBe(200)
    expect((await other.get(alice)).status).toBe(200)
    const heard = await other.get(alice)
    expect(heard).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(heard.text).toContain('role="alert"')
    expect((await other.get('/')).status).toBe(200)
    expect((await other.metrics()).value('scan_proxy_misses_limited_total')).toBe(1)
    expect((await other.get('/v0/scan-proxy/ans-entries/by-name/bob.unverified.cns')).status).toBe(429)
    for (let look = 0; look < 2; look++) expect((await other.operations(alice)).status).toBe(200)
    expect((await other.operations(alice)).status).toBe(429)
  })

  test('is one of 32 at a time', async () => {
    await using other = await startStage()
    await other.fault(other.names, 'hang')
    const heard: Heard[] = []
    const looking = Array.from({ length: 40 }, async () => heard.push(await other.operations(alice)))
    await eventually(() => heard.length === 8)
    for (const refused of heard)
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    await eventually(() => {
      other.clock.advance(1_000)
      return heard.length === looking.length
    })
    for (const late of heard.slice(8)) expect(late.text).toContain('Too few could be heard')
    await other.fault(other.names, undefined)
    expect((await other.operations(alice)).text).toContain('4 of 4 super validators gave this answer')
  })

  test('without a roster is told to come back', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    scans.say({ refuses: { status: 503, error: 'starting' } })
    await using remote = await startRemote(scans.urls)
    const heard = await remote.operations(alice)
    expect(heard).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    expect(heard.text).toContain('No roster of super validators is agreed yet')
    expect((await remote.operations('/')).text).not.toContain('method="post"')
  })
})

describe('The page', () => {
  test('is on the operations address, and on the public one only where ui.public is set', async () => {
    await using other = await startStage()
    expect((await other.operations('/')).status).toBe(200)
    for (const path of ['/', '/ui/events']) expect((await other.get(path)).status).toBe(404)
    expect((await stage.get('/')).status).toBe(200)
    expect(await stage.get('/', { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    })
  })

  test('may load and run nothing but its own files', async () => {
    for (const heard of [await stage.get('/'), await stage.operations('/')]) {
      const policy = String(heard.headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/)
      expect(heard.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
      expect(heard.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('is made once a second on the public address, however many look', async () => {
    await using other = await startStage({ config: { 'ui.public': true } })
    const before = (await other.get('/')).text
    await other.operations(alice)
    expect((await other.get('/?by=party')).text).toBe(before)
    expect((await other.operations('/')).text).toContain('1 agreed')
    other.clock.advance(1_000)
    expect((await other.get('/')).text).toContain('1 agreed')
  })

  test('has files that are named by what is in them, and are kept for good', async () => {
    for (const ask of [stage.get, stage.operations]) {
      const files = [...new Set((await ask('/')).text.match(/ui\/(?:page|icon)[^"]+/g))]
      expect(files.map((file) => file.split('.').at(-1)).sort()).toEqual(['css', 'js', 'svg'])
      for (const file of files) {
        const heard = await ask(`/${file}`)
        expect(heard).toMatchObject({
          status: 200,
          headers: { 'cache-control': 'public, max-age=31536000, immutable' },
        })
        const etag = String(heard.headers['etag'])
        expect(await ask(`/${file}`, { headers: { 'if-none-match': etag } })).toMatchObject({
          status: 304,
          text: '',
        })
      }
    }
  })

  test('is counted on the public address under routes of its own', async () => {
    const { leave } = await listen(stage.daemon.http)
    leave()
    const { value } = await stage.metrics()
    for (const route of ['page', 'pageAsset', 'pageEvents'])
      expect(
        value('scan_proxy_http_requests_total', { route, method: 'GET', status: '200' }),
        route,
      ).toBeGreaterThan(0)
  })
})

describe('What the page changes', () => {
  test('are faults of a localnet: injected, shown and healed', async () => {
    const injected = await stage.operations('/ui/faults', form({ sv: 'sv-5', kind: 'deny' }))
    expect(injected).toMatchObject({ status: 303, headers: { location: '../#localnet' } })
    expect((await stage.operations('/')).text).toMatch(
      /<strong>sv-5<\/strong>\s*<span class="bad">deny<\/span>/,
    )
    expect(stage.localnet.show().find(({ name }) => name === 'sv-5')?.fault).toMatchObject({ kind: 'deny' })
    expect((await stage.operations('/ui/faults', form({ sv: 'sv-5' }))).status).toBe(303)
    expect(stage.localnet.show().every(({ fault }) => fault === null)).toBe(true)
  })

  test('can be every fault there is, none of which needs more than its name', async () => {
    for (const { kind } of stage.localnet.faults)
      expect((await stage.operations('/ui/faults', form({ sv: 'sv-7', kind }))).status, kind).toBe(303)
    await stage.fault(['sv-7'], undefined)
  })

  test('is refused in words where it makes no sense', async () => {
    const refused = [
      [form({ sv: 'sv-99', kind: 'lie' }), 400, 'No super validator is called sv-99.'],
      [form({ sv: 'sv-1', kind: 'x"' }), 400, 'No fault is called x&quot;.'],
      [form({ sv: 'sv-1', kind: 'x'.repeat(20_000) }), 413, 'exceeds 16384 bytes'],
    ] as const
    for (const [options, status, why] of refused) {
      const heard = await stage.operations('/ui/faults', options)
      expect(heard.status).toBe(status)
      expect(heard.text).toContain(why)
      expect(heard.text).toContain('role="alert"')
    }
  })

  test('is nothing that another site can have an operator do', async () => {
    const hostile = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of hostile) {
      for (const path of ['/ui/faults', '/ui/registrations', '/prune'])
        expect((await stage.operations(path, form({ sv: 'sv-1', kind: 'lie' }, headers))).status).toBe(403)
    }
    expect(stage.localnet.show().every(({ fault }) => fault === null)).toBe(true)
  })

  test('is nothing on the public address, and no button for it', async () => {
    expect((await stage.get('/')).text).not.toMatch(/method="post"|Localnet/)
    for (const path of ['/ui/faults', '/ui/registrations'])
      expect((await stage.get(path, form({ sv: 'sv-1', kind: 'lie' }))).status).toBe(404)
    const { first, leave } = await listen(stage.daemon.http)
    leave()
    expect(first).not.toContain('live-faults')
  })

  test('are names that are registered, paid for and found at once', async () => {
    await using embedded = await startEmbedded({ 'ui.public': true })
    const fields = {
      name: 'alice',
      user: 'alice',
      url: 'https://alice.example',
      description: 'It <b>is</b> I',
    }
    const done = await embedded.operations('/ui/registrations', form(fields))
    expect(done).toMatchObject({
      status: 303,
      headers: { location: '../?by=name&q=alice.unverified.cns#answer' },
    })
    const { text } = await embedded.operations('/?by=name&q=alice.unverified.cns')
    expect(text).toContain('4 of 4 super validators gave this answer')
    expect(text).toContain('It &lt;b&gt;is&lt;/b&gt; I')
    expect(text).toContain('href="https://alice.example"')
    const again = await embedded.operations('/ui/registrations', form({ ...fields, user: 'bob' }))
    expect(again.status).toBe(409)
    expect(again.text).toContain('alice.unverified.cns')
    const wrong = await embedded.operations('/ui/registrations', form({ ...fields, name: 'a b' }))
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('may have only a to z')
  })
})

describe('The page is live:', () => {
  test('it begins with all that changes by itself, and hears of a dissent', async () => {
    await using other = await startStage()
    const { response, first, leave } = await listen(other.daemon.operations)
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    })
    const parts = JSON.parse(first.slice(first.indexOf('data: ') + 6))
    expect(Object.keys(parts)).toEqual([
      'live-summary',
      'live-roster',
      'live-disagreements',
      'live-news',
      'live-faults',
    ])
    await other.fault(['sv-2'], 'lie')
    await other.operations(alice)
    other.clock.advance(1_000)
    const [chunk] = await once(response, 'data')
    const changed = JSON.parse(String(chunk).slice('data: '.length))
    expect(changed['live-disagreements']).toContain('contradicted the others')
    expect(changed['live-faults']).toContain('lie')
    leave()
  })

  test('a stop does not wait for those who have it open', async () => {
    const other = await startStage({ config: { 'ui.public': true } })
    const streams = [await listen(other.daemon.http), await listen(other.daemon.operations)]
    const ended = streams.map(({ response }) => once(response, 'end'))
    // The clock does not move: whatever waited for a time-out would wait for ever.
    await other[Symbol.asyncDispose]()
    await Promise.all(ended)
  })

  test('HEAD opens no stream', async () => {
    expect(await stage.operations('/ui/events', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })
})

import { afterAll, describe, expect, test } from 'vitest'
import { ask, type Heard } from '../localnet/ask.ts'
import { advanceBy, startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { Scans } from '../support/scans.ts'
import { listen } from './page-stream.ts'

const alice = '/?by=name&q=alice.unverified.cns'

const stage = await startStage({ superValidators: 7, config: { 'ui.public': true } })

afterAll(() => stage[Symbol.asyncDispose]())

/** Returns what the drawing on the page shows for each super validator, such as `agreed` or `dissented`. */
function drawn({ text }: Heard): Record<string, string> {
  const stands = text.matchAll(
    /<li class="lane stand (?:stance-)?([\w-]+)">.*?<span class="stand-name"><bdi>(.*?)<\/bdi>/gs,
  )
  return Object.fromEntries([...stands].map(([, stance = '', name = '']) => [name, stance]))
}

test('When all are healed, the daemon forgets who lied, and files no dissent that was still checked', async () => {
  await using other = await startStage()
  await other.fault(['sv-2', 'sv-3'], 'lie')
  expect((await other.operations(alice)).text).toContain('Do not rely on this answer.')
  await other.get(`/api/scan/v0/ans-entries/by-name/alice.unverified.cns`)
  await ask(other.localnet.control, '/faults', { method: 'DELETE' })
  await advanceBy(other, 60)
  expect((await other.report('/evidence')).cases).toEqual([])
  expect((await other.metrics()).value('scan_proxy_dissents_pending', { sv: 'sv-2' })).toBe(0)
  expect((await other.operations(alice)).text).not.toContain('This answer may be a lie.')
  const { text } = await other.operations('/network')
  expect(text.match(/<span class="share \w+">\d+%/g)).toEqual(Array(4).fill('<span class="share good">100%'))
})

test('Super validators are in the order of their numbers everywhere, whoever operates them', async () => {
  const operators = { one: ['sv-1', 'sv-11'] }
  const config = { 'scanClient.operators': operators, 'scanClient.fanout': 'all', 'scanClient.threshold': 11 }
  await using other = await startStage({ superValidators: 11, config })
  const heard = await other.get('/api/scan/v0/ans-entries/by-name/alice.unverified.cns')
  expect(heard.headers['x-bft-agreed']).toBe(other.names.map((name) => `"${name}"`).join(', '))
  const status = await other.report('/status')
  expect(status.roster.superValidators.flatMap(({ names }: { names: string[] }) => names)).toEqual(
    other.names,
  )
  const shown = await other.operations(alice)
  expect(Object.keys(drawn(shown))).toEqual(other.names)
  const onRing = [...shown.text.matchAll(/<g class="voter .*?<title>(.*?)<\/title>/gs)].map(
    ([, name]) => name,
  )
  expect(onRing).toEqual(other.names)
  expect((await other.operations('/network')).text).toMatch(/<th[^>]*>Speed rank<\/th>/)
  const groups = [...(await other.operations('/localnet')).text.matchAll(/<optgroup label="(.*?)">/g)].map(
    ([, label]) => label,
  )
  expect(groups).toEqual(['What it says', 'How it writes it', 'What it refuses', 'Its connection'])
})

describe('A look-up on the page', () => {
  test('asks everybody on the operations address, and draws the liar', async () => {
    await stage.fault(['sv-3'], 'lie')
    const heard = await stage.operations(alice)
    await stage.fault(['sv-3'], undefined)
    expect(heard.status).toBe(200)
    const all = Object.fromEntries(stage.names.map((name) => [name, 'agreed']))
    expect(drawn(heard)).toEqual({ ...all, 'sv-3': 'dissented' })
    expect(heard.text).toContain('6 of 7 super validators gave this answer; 3 had to.')
    expect(heard.text).toMatch(/sv-3<.bdi> dissented/)
    expect(heard.text).toMatch(/<mark>mallory::/)
  })

  test('asks as many as any read on the public address, and where that is wished for', async () => {
    for (const heard of [
      await stage.get(`${alice}&ask=all&votes=2f%2B1`),
      await stage.operations(`${alice}&ask=enough`),
    ]) {
      const counts = Object.groupBy(Object.values(drawn(heard)), (stance) => stance)
      expect(counts['agreed']).toHaveLength(3)
      expect(counts['unasked']).toHaveLength(4)
    }
  })

  test('names silent super validators, and does not wait for them', async () => {
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
    expect(new Set(Object.values(drawn(heard)))).toEqual(new Set(['side-0', 'side-1', 'side-2', 'side-3']))
    expect(heard.text).toContain('Not agreed')
    expect(heard.text).toContain('No answer has the threshold.')
    expect(heard.text).not.toContain('class="entry"')
  })

  test('finds by party and by the beginning of names, and says what does not exist', async () => {
    const party = stage.localnet.truth.entryByName('alice.unverified.cns') as { user: string }
    const byParty = await stage.operations(`/?${new URLSearchParams({ by: 'party', q: party.user })}`)
    expect(byParty.text).toMatch(/<dd class="name">.*<bdi>alice.unverified.cns<\/bdi>/)
    const list = await stage.operations('/?by=prefix&q=sv-')
    expect(list.text).toContain('7 names begin with <bdi>sv-')
    expect((await stage.operations('/?by=prefix&q=')).text).toMatch(/\d+ names[,.]/)
    const none = await stage.operations('/?by=name&q=nobody.unverified.cns')
    expect(none.text).toContain('Agreed: there is none')
    expect(none.text).toContain('No ans entry found for name: nobody.unverified.cns')
  })

  test('of what cannot be asked says why, and asks nobody', async () => {
    const before = stage.asks()
    const heard = await stage.operations('/?by=party&q=nobody')
    expect(heard.status).toBe(400)
    expect(heard.text).toContain('A party is a name, two colons, 1220 and 64 hex digits.')
    expect((await stage.operations(`/?q=${'x'.repeat(3000)}`)).status).toBe(400)
    expect(stage.asks()).toBe(before)
  })

  test.each([
    ['/?by=nonsense&q=', 'Type a name to look up.'],
    ['/?by=name&q=%20%20', 'Type a name to look up.'],
    ['/?by=party&q=', 'Type a party to look up.'],
    [
      '/?by=name&q=Hello+World!!',
      'Between its dots the name may have only a to z, 0 to 9, _ and -, but it has',
    ],
  ])('of %s asks nobody and says why beside the field', async (address, why) => {
    const before = stage.asks()
    const heard = await stage.operations(address)
    expect(heard.status).toBe(400)
    expect(heard.text).toMatch(/<p class="alert" id="lookup-problem" role="status">[^<]+<\/p>/)
    expect(heard.text).toContain(why)
    const watched = await stage.operations(address.replace('/?', '/ui/vote?'))
    const lines = watched.text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ end: { html: '' } }])
    expect(watched.text).toContain(why)
    expect(stage.asks()).toBe(before)
    expect((await stage.operations('/network')).text).not.toMatch(/\d abstained/)
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
    const { cases } = await other.report('/evidence')
    expect(cases.filter(({ read }: { read: string }) => read === 'lookupAnsEntryByName')).toHaveLength(1)
    const { text } = await other.operations('/network')
    expect(text).toContain('1 agreed')
    expect(text).toContain('<h3><bdi class="whole">sv-2</bdi> contradicted the others</h3>')
  })

  test('is a miss on the public address, even of what is cached, and too many are refused', async () => {
    await using other = await startStage({ config: { 'ui.public': true, 'http.missesPerSecond': 1 } })
    expect((await other.get(alice)).status).toBe(200)
    expect((await other.get(alice)).status).toBe(200)
    const heard = await other.get(alice)
    expect(heard).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(heard.text).toContain('role="alert"')
    expect((await other.get('/')).status).toBe(200)
    const limited = async () => (await other.metrics()).value('scan_proxy_misses_limited_total')
    expect(await limited()).toBe(1)
    expect((await other.get('/ui/reports/sv-1')).status).toBe(429)
    expect(await limited()).toBe(2)
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

  test('without a roster asks the visitor to come back', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    scans.say({ refuses: { status: 503, error: 'starting' } })
    await using remote = await startRemote(scans.urls)
    const heard = await remote.operations(alice)
    expect(heard).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    expect(heard.text).toContain('No roster of super validators is agreed yet')
    const { text } = await remote.operations('/')
    expect(text).not.toMatch(/action="ui\/(?:faults|registrations|tour)"/)
    expect(text).toContain('4 seeds of 4 fail inside (5xx).')
    for (const url of scans.urls) expect(text).toContain(`<bdi>${new URL(url).host}</bdi>`)
  })
})

describe('The page', () => {
  test('is on the operations address, and on the public one only where ui.public is set', async () => {
    await using other = await startStage()
    expect((await other.operations('/')).status).toBe(200)
    for (const path of ['/', '/ui/events']) expect((await other.get(path)).status).toBe(404)
    const nosuch = await other.get('/nosuch', { headers: { accept: 'text/html' } })
    expect(nosuch).toMatchObject({ status: 404, headers: { 'content-type': 'application/json' } })
    expect((await stage.get('/')).status).toBe(200)
    expect(await stage.get('/', { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    })
  })

  test.each(['/nosuch', '/a/b/', '//a'])(
    'is linked from the 404 that browsers get at %s, while programs and paths of the API keep JSON',
    async (path) => {
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
      for (const get of [stage.get, stage.operations]) {
        const heard = await get(path, { headers })
        expect(heard).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } })
        expect(heard.headers['content-security-policy']).toBe(
          (await get('/')).headers['content-security-policy'],
        )
        const [, base = ''] = /<base href="(.*?)">/.exec(heard.text) ?? []
        expect(new URL(base, `http://host${path}`).pathname).toBe('/')
        expect(await get(path, { headers, method: 'HEAD' })).toMatchObject({ status: 404, text: '' })
        for (const options of [{}, { headers: { accept: '*/*' } }, { headers, method: 'POST' }])
          expect(JSON.parse((await get(path, options)).text)).toHaveProperty('error')
        for (const api of ['/v0/nosuch', '/v2/nosuch', '/api/nosuch', '/admin/nosuch'])
          expect((await get(api, { headers })).headers['content-type']).toMatch(/^application\/json/)
      }
    },
  )

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
    const before = (await other.get('/network')).text
    await other.operations(alice)
    expect((await other.get('/network?by=party')).text).toBe(before)
    expect((await other.operations('/network')).text).toContain('1 agreed')
    other.clock.advance(1_000)
    expect((await other.get('/network')).text).toContain('1 agreed')
  })

  test('has files that are named by what is in them, and are kept for good', async () => {
    for (const get of [stage.get, stage.operations]) {
      const files = [...new Set((await get('/network')).text.match(/ui\/(?:page|icon|vote)\.[^"]+/g))]
      expect(files.map((file) => file.replace(/^ui\/(\w+)\.[\w-]+\./, '$1.')).sort()).toEqual([
        'icon.svg',
        'page.css',
        'page.js',
      ])
      for (const file of files) {
        expect(await get(`/${file}`)).toMatchObject({
          status: 200,
          headers: { 'cache-control': 'public, max-age=31536000, immutable' },
        })
      }
      const icon = files.find((file) => file.includes('icon'))
      expect(await get('/favicon.ico')).toMatchObject({ status: 303, headers: { location: icon } })
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

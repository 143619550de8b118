import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { type Stage, startStage } from '../support/daemon.ts'
import { asTimePasses } from '../support/eventually.ts'
import { listen } from './page-stream.ts'

const alice = '/?by=name&q=alice.unverified.cns'

const stage = await startStage({ superValidators: 7, config: { 'ui.public': true } })

afterAll(() => stage[Symbol.asyncDispose]())

describe('A look-up that is shown as it happens', () => {
  const told = async (query: string, base: Stage['get'] = stage.operations) => {
    const { text, headers } = await base(`/ui/vote?by=name&q=alice.unverified.cns${query}`)
    expect(headers['content-type']).toBe('application/x-ndjson')
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { lines, events: lines.flatMap(({ event }) => event ?? []) }
  }

  test('begins with the ring, goes on with each request, reply and the verdict, and ends with the answer', async () => {
    await stage.fault(['sv-3'], 'lie')
    const { lines, events } = await told('')
    await stage.fault(['sv-3'], undefined)
    expect(lines[0].begun.match(/class="segment"/g)).toHaveLength(3)
    expect(lines.at(-1).end.title).toBe('alice.unverified.cns · bft-scan-proxy')
    expect(lines.at(-1).end.html).toContain('6 of 7 super validators gave this answer; 3 had to.')
    const of = (kind: string) => events.filter((event) => event.kind === kind)
    expect(
      of('asked')
        .map(({ voter }) => voter)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(of('settled')).toMatchObject([{ outcome: 'agreed' }])
    const groups = new Map(of('heard').map(({ voter, group }) => [voter, group]))
    expect(new Set([0, 1, 3, 4, 5, 6].map((voter) => groups.get(voter))).size).toBe(1)
    expect(groups.get(2)).not.toBe(groups.get(0))
  })

  test('tells why each was asked: first, as a hedge, as an audit', async () => {
    await using other = await startStage({ config: { 'scanClient.auditShare': 1 } })
    const reasonsOf = ({ events }: Awaited<ReturnType<typeof told>>) =>
      events.flatMap(({ reason }) => reason ?? [])
    const audited = await asTimePasses(other.clock, told('&ask=enough', other.operations))
    expect(reasonsOf(audited).slice(0, 2)).toEqual(['first', 'first'])
    expect(reasonsOf(audited)).toContain('audit')
    await other.fault(other.names, 'hang')
    const hedged = await asTimePasses(other.clock, told('&ask=enough', other.operations))
    expect(reasonsOf(hedged)).toContain('hedge')
  })

  test('may require 2f + 1 votes, whatever is configured', async () => {
    expect((await told('&votes=2f%2B1')).lines[0].begun.match(/class="segment"/g)).toHaveLength(5)
    await stage.fault(['sv-2', 'sv-3', 'sv-4'], 'lie')
    const nobody = '/?by=name&q=nobody.unverified.cns'
    const usual = await stage.operations(nobody)
    const strict = await stage.operations(`${nobody}&votes=2f%2B1`)
    await stage.fault(stage.names, undefined)
    expect(usual.text).toContain('Do not rely on this answer.')
    expect(strict.text).toContain('no 5 of 7 said the same')
  })

  test('tells a refusal at its end', async () => {
    const { text } = await stage.operations('/ui/vote?by=party&q=nobody::')
    expect(text).toContain('A party is a name, two colons, 1220 and 64 hex digits')
  })
})

describe('The story of a lie', () => {
  test('has its disagreements and a report under addresses of their own, and none for an honest super validator', async () => {
    await using other = await startStage()
    await other.fault(['sv-2'], 'lie')
    await other.operations(alice)
    const [, body = ''] =
      /data-body="(ui\/cases\/[^"]+)">\s*<summary[^>]*><span class="case-title">[^<]*<\/span> <span class="case-read">lookupAnsEntryByName/.exec(
        (await other.operations('/network')).text,
      ) ?? []
    expect((await other.operations(`/${body}`)).text).toMatch(/<mark>mallory::/)
    expect((await other.operations('/ui/cases/unknown')).status).toBe(404)
    const report = await other.operations('/ui/reports/sv-2')
    expect(report).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } })
    expect(report.text).toContain(`network (DSO): ${other.localnet.truth.dsoParty()}`)
    expect((await other.operations('/ui/reports/sv-1')).status).toBe(404)
  })
})

test('on the public address a visitor pays a miss for a disagreement and for a report', async () => {
  await using other = await startStage({ config: { 'ui.public': true, 'http.missesPerSecond': 1 } })
  for (const path of ['/ui/cases/x', '/ui/reports/sv-1']) expect((await other.get(path)).status).toBe(404)
  for (const path of ['/ui/cases/x', '/ui/reports/sv-1'])
    expect((await other.get(path)).status, path).toBe(429)
  expect((await other.get('/?tour=3&refused=x')).status).toBe(200)
})

describe('Suggestions', () => {
  test('are names that a quorum lists, from the cache, and each costs a miss on the public address', async () => {
    await using other = await startStage({ config: { 'ui.public': true, 'http.missesPerSecond': 1 } })
    const names = async () => JSON.parse((await other.get('/ui/suggestions?q=sv-')).text)
    expect((await names()).map(({ name }: { name: string }) => name).slice(0, 2)).toEqual([
      'sv-1.sv.cns',
      'sv-2.sv.cns',
    ])
    const asks = other.asks()
    await names()
    expect(other.asks()).toBe(asks)
    expect(await names()).toEqual([])
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
    expect(Object.keys(parts)).toEqual(['now', 'machine', 'parts', 'lists', 'rows'])
    expect(Object.keys(parts.parts)).toEqual([
      'live-network',
      'live-headline',
      'live-rest',
      'live-ring',
      'live-summary',
      'live-doubt',
      'live-traffic',
      'live-recent-doubt',
      'live-doctor-state',
      'live-doctor',
    ])
    expect(Object.keys(parts.lists)).toEqual([
      'live-roster',
      'live-heat',
      'live-stories',
      ...other.names.map((name) => `live-stories-${name}`),
      'live-faults',
    ])
    await other.fault(['sv-2'], 'lie')
    await other.operations(alice)
    other.clock.advance(1_000)
    const [chunk] = await once(response, 'data')
    const changed = JSON.parse(String(chunk).slice('data: '.length))
    expect(changed.parts['live-headline']).toContain(
      '<bdi class="whole">sv-2</bdi> contradicts the others since',
    )
    const rows = Object.values<string>(changed.rows).join('\n')
    expect(rows).toContain('<bdi class="whole">sv-2</bdi> contradicted the others')
    expect(rows).toMatch(/<strong>sv-2<\/strong>\s*<span class="bad">lie/)
    expect(rows).not.toContain('mallory')
    leave()
  })

  test('a page stays below 2 kB a second while a hundred names a second are read, and super validators lie and fail', async () => {
    await using other = await startStage({ superValidators: 13 })
    await other.fault(['sv-3'], 'lie')
    await other.fault(['sv-5'], 'error')
    await other.fault(['sv-8'], 'refuse')
    const request = get(new URL('/ui/events', other.daemon.operations), {
      headers: { 'accept-encoding': 'gzip' },
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.on('error', () => undefined)
    await once(response, 'data')
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    const seconds = 4
    for (let second = 0; second < seconds; second++) {
      const names = Array.from({ length: 100 }, (_, read) => `nobody-${second}-${read}.cns`)
      await Promise.all(names.map((name) => other.get(`/v0/scan-proxy/ans-entries/by-name/${name}`)))
      const next = once(response, 'data')
      other.clock.advance(1_000)
      await next
    }
    request.destroy()
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(bytes / seconds).toBeGreaterThan(100)
    expect(bytes / seconds).toBeLessThan(2_000)
  })

  test('a stop does not wait for those who have it open', async () => {
    const other = await startStage({ config: { 'ui.public': true } })
    const streams = [await listen(other.daemon.http), await listen(other.daemon.operations)]
    const ended = streams.map(({ response }) => once(response, 'end'))
    // The clock does not move, so a stop that waited for a time-out would never end.
    await other[Symbol.asyncDispose]()
    await Promise.all(ended)
  })

  test('HEAD opens no stream', async () => {
    expect(await stage.operations('/ui/events', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })
})

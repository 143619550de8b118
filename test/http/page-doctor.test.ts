import { expect, test } from 'vitest'
import type { AskOptions } from '../localnet/ask.ts'
import { type Running, startRemote } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { Scans } from '../support/scans.ts'

const post: AskOptions = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }

function isExamined(remote: Running): () => Promise<boolean> {
  return async () => (await remote.operations('/network')).text.includes('Examined ')
}

test('the doctor of the page examines every scan once, and again after 30 s at the earliest', async () => {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  await using remote = await startRemote(scans.urls)
  const examinations = () => scans.nodes.map((node) => node.count('/migrations/last'))

  const pressed = await remote.operations('/ui/doctor', post)
  expect(pressed).toMatchObject({ status: 303, headers: { location: '../network#doctor' } })
  await eventually(isExamined(remote))
  expect(examinations()).toEqual([1, 1, 1, 1])

  await remote.operations('/ui/doctor', post)
  expect((await remote.operations('/network')).text).not.toContain('The examination runs')
  remote.clock.advance(30_000)
  await remote.operations('/ui/doctor', post)
  await eventually(() => examinations().every((count) => count === 2))
  await eventually(async () => !(await remote.operations('/network')).text.includes('The examination runs'))
  expect(examinations()).toEqual([2, 2, 2, 2])
})

test('a second click while the doctor examines joins the examination', async () => {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  await using remote = await startRemote(scans.urls)
  scans.say({ hangs: true })
  const before = scans.nodes.map((node) => node.asked.length)
  const asked = () =>
    scans.nodes.map((node, index) => node.asked.slice(before[index]).filter(isOfDoctor).length)

  await remote.operations('/ui/doctor', post)
  await eventually(() => asked().every((count) => count > 0))
  await remote.operations('/ui/doctor', post)
  expect((await remote.operations('/network')).text).toContain('The examination runs')
  const reports = isExamined(remote)
  await eventually(async () => {
    remote.clock.advance(100)
    return reports()
  })
  expect(asked()).toEqual([1, 1, 1, 1])
})

test('the doctor says how many super validators refuse this machine before any roster is agreed', async () => {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  scans.say({ refuses: { status: 403, error: 'not on the <allow-list>' } })
  await using remote = await startRemote(scans.urls, { 'scanClient.egressAddresses': ['203.0.113.7'] })
  await remote.operations('/ui/doctor', post)
  await eventually(isExamined(remote))
  const { text } = await remote.operations('/network')
  expect(text).toContain('0 of 4 scans can be used from here')
  expect(text).toContain('&lt;allow-list&gt;')
  expect(text.match(/data-what="the text for /g)).toHaveLength(4)
})

test('GET of the form leads to its section of the page', async () => {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  await using remote = await startRemote(scans.urls)
  expect(await remote.operations('/ui/doctor')).toMatchObject({
    status: 303,
    headers: { location: '../network#doctor' },
  })
})

function isOfDoctor(path: string): boolean {
  return path === '/api/scan/v0/backfilling/status'
}

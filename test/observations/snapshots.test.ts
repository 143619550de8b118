import { expect, test } from 'vitest'
import { advanceBy, type Running } from '../support/daemon.ts'
import { neighbours, type Owner } from './neighbours.ts'
import { provesObservation, type SignedObservation } from './verified.ts'

const mirrored = { 'mirror.level': 'bindings', 'scanClient.threshold': 4 }

async function untilDrained(running: Running, outcome: string): Promise<void> {
  for (let seconds = 0; seconds < 180; seconds++) {
    if ((await running.metrics()).value('scan_proxy_mirror_drains_total', { outcome }) > 0) return
    await advanceBy(running, 1)
  }
  throw new Error(`no drain was ${outcome}`)
}

async function rosterLinesOf(running: Running): Promise<readonly string[]> {
  const epoch = Math.floor(running.clock.wall() / 600_000) - 1
  const { observations } = JSON.parse((await running.get(`/observations/${epoch}`)).text)
  const rosters = observations.filter((line: string) => JSON.parse(line).subject.startsWith('roster '))
  expect(rosters).toHaveLength(4)
  return rosters
}

test('a super validator that gives two daemons two snapshots of one instant is found, with both signed notes', async () => {
  await using there = await neighbours('acme', 'bravo')
  const [acme, bravo] = there.owners as [Owner, Owner]
  await there.localnet.setFault('sv-1', { kind: 'snapshot', how: 'altered' })
  await using one = await there.start(acme, mirrored)
  await untilDrained(one, 'disputed')
  await there.localnet.setFault('sv-1', undefined)
  await using other = await there.start(bravo, mirrored)
  await untilDrained(other, 'taken')
  expect((await one.get('/v0/scan-proxy/dso')).status).toBe(200)
  await there.endEpoch(one, other)
  const { cases, bodies } = JSON.parse((await other.operations('/evidence?read=split-view')).text)
  expect(cases).toHaveLength(1)
  expect(cases[0].rule).toContain('sv-1 told this daemon and acme two stories')
  expect(cases[0].question.subject).toMatch(/^snapshot 0 20\d\d-.*T\d\d:00:00\.000Z [\w-]{43}$/)
  const signed: SignedObservation[] = cases[0].statements.map(({ digest }: { digest: string }) =>
    JSON.parse(bodies[digest]),
  )
  expect(signed.every(provesObservation)).toBe(true)
  expect(await rosterLinesOf(one)).toEqual(await rosterLinesOf(other))
})

import { describe, expect, test } from 'vitest'
import { configOf, written } from '../config/config.ts'
import { type Stage, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { byName, nothingKept } from './questions.ts'

const config = { ...nothingKept, 'scanClient.fanout': 'all' }

const quorumLines = (stage: Stage) =>
  stage
    .lines()
    .filter(({ msg }) => /quorum is reachable|a read was not agreed on/.test(String(msg)))
    .map(({ msg, afterSeconds, read }) => [
      msg,
      ...[afterSeconds ?? read].filter((value) => value !== undefined),
    ])

const lost = ['no quorum is reachable']
const failed = ['a read was not agreed on', 'lookupAnsEntryByName']

/**
 * Waits without `advanceBy`, which requests `/metrics`, because some of these tests need a daemon that nobody scrapes.
 */
const until = (stage: Stage, count: number) => eventually(() => quorumLines(stage).length >= count)

async function loseQuorum(stage: Stage): Promise<void> {
  await stage.fault(stage.names.slice(1), 'refuse')
  expect((await stage.get(byName('dso.cns'))).status).toBe(502)
}

describe('Without a scrape of the metrics', () => {
  test('a lost quorum is logged when the replies show it, its end with the time since then, and another loss a minute later', async () => {
    await using stage = await startStage({ config })
    await loseQuorum(stage)
    await until(stage, 2)
    expect(quorumLines(stage)).toEqual([lost, failed])
    stage.clock.advance(300)
    await stage.fault(stage.names, undefined)
    stage.clock.advance(400)
    await eventually(() => {
      stage.clock.advance(100)
      return quorumLines(stage).length >= 3
    })
    expect(quorumLines(stage)[2]).toEqual(['a quorum is reachable again', expect.any(Number)])
    expect(quorumLines(stage)[2]?.[1]).toBeLessThan(60)
    stage.clock.advance(60_000)
    await loseQuorum(stage)
    await until(stage, 4)
    expect(quorumLines(stage)[3]).toEqual(lost)
  })

  test('a read that failed minutes before the quorum was lost gets a line again in the outage', async () => {
    await using stage = await startStage({ config })
    await stage.fault(stage.names.slice(1), 'equivocate')
    expect((await stage.get(byName('dso.cns'))).status).toBe(502)
    stage.clock.advance(1_000)
    await loseQuorum(stage)
    await until(stage, 3)
    expect(quorumLines(stage)).toEqual([failed, lost, failed])
  })

  test('a reload that lowers the threshold ends the outage in the log, at the level of its beginning', async () => {
    await using stage = await startStage({ superValidators: 7, config })
    const seven = { network: 'localnet', 'ledger.driver': 'none', 'localnet.superValidators': 7 }
    const reload = (threshold: number) =>
      stage.daemon.reload(configOf(written({ ...seven, ...config, 'scanClient.threshold': threshold })))
    await reload(5)
    await stage.fault(stage.names.slice(3), 'refuse')
    await stage.get(byName('dso.cns'))
    await until(stage, 2)
    stage.clock.advance(900)
    await reload(3)
    expect(quorumLines(stage)).toEqual([lost, failed, ['a quorum is reachable again', 1]])
    expect(stage.lines().at(-1)?.['level']).toBe('warn')
    await reload(5)
    expect(quorumLines(stage).slice(3)).toEqual([lost])
  })

  test('super validators that are set aside and taken back end and restore the quorum in the log at once', async () => {
    await using stage = await startStage({ config })
    const { cordon } = stage.daemon.scan.connections
    for (const name of stage.names.slice(1)) cordon.add(name)
    expect(quorumLines(stage)).toEqual([lost])
    for (const name of stage.names) cordon.remove(name)
    expect(quorumLines(stage)).toEqual([lost, ['a quorum is reachable again', 0]])
  })
})

import { describe, expect, test } from 'vitest'
import { ask } from '../localnet/ask.ts'
import { type Stage, startLiveStage, startStage } from '../support/daemon.ts'
import { nothingKept } from './questions.ts'

const path = '/api/scan/v0/events/latest-record-time'
const allOf = (...releases: string[]) => ({ 'localnet.releases': releases, ...nothingKept })

/** Returns what each scan says, the latest first. */
async function saidBy(stage: Stage<unknown>, names = stage.names): Promise<readonly string[]> {
  const scans = stage.localnet.superValidators.filter(({ name }) => names.includes(name))
  const said = await Promise.all(scans.map(({ url }) => ask(url, path)))
  return said
    .map(({ text }) => String(JSON.parse(text).record_time))
    .sort()
    .reverse()
}

async function served(stage: Stage<unknown>): Promise<unknown> {
  const { status, text } = await stage.get(path)
  return status === 200 ? JSON.parse(text) : { status, text }
}

describe('the latest record time of events', () => {
  test('is the latest that a quorum has reached, whoever is behind', async () => {
    await using stage = await startStage({ superValidators: 7, config: allOf('0.9') })
    const { updates } = stage.localnet.truth.annals()
    const at = updates.map(({ body }) => Date.parse(String(body['record_time'])))
    for (const [nth, name] of stage.names.slice(0, 5).entries())
      await stage.fault([name], {
        kind: 'lag',
        by: Math.ceil(stage.clock.wall() - (at.at(-2 * nth - 2) ?? 0)),
      })
    const times = await saidBy(stage)
    expect(new Set(times).size).toBeGreaterThan(3)
    expect(times[2]).not.toBe(times[0])
    expect(await served(stage)).toEqual({ record_time: times[2] })
    expect((await stage.report('/evidence')).cases).toEqual([])
  })

  test('is answered by those that know the path, and contradicts nobody', async () => {
    await using stage = await startStage({ config: allOf('0.9', '0.8', '0.9', '0.7.5') })
    const [, second] = await saidBy(stage, ['sv-1', 'sv-3'])
    expect(await served(stage)).toEqual({ record_time: second })
    expect((await stage.report('/evidence')).cases).toEqual([])
  })

  test('is no time of the future, and not held back, whatever f of thirteen say', async () => {
    await using stage = await startLiveStage({ superValidators: 13, config: allOf('0.9') })
    const liars = ['sv-2', 'sv-5', 'sv-7', 'sv-11']
    await stage.fault(liars, 'lie')
    const honest = await saidBy(
      stage,
      stage.names.filter((name) => !liars.includes(name)),
    )
    const { record_time: time } = (await served(stage)) as { record_time: string }
    expect(time <= String(honest[0])).toBe(true)
    expect(time >= String(honest.at(-1))).toBe(true)
  })

  test('takes no id from the events, whose ids may be any text', async () => {
    await using stage = await startStage({ config: allOf('0.9') })
    const { status, text } = await stage.get('/api/scan/v0/events/latest-record-times')
    expect({ status, text }).toEqual({
      status: 404,
      text: '{"error":"Event with id latest-record-times not found"}',
    })
  })
})

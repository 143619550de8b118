import { expect, test } from 'vitest'
import { ask } from '../localnet/ask.ts'
import { advanceBy, startStage } from '../support/daemon.ts'
import { byName, nothingKept, saidIn } from './questions.ts'

const lookups = 300

test('With 13 super validators of which four lie together, every lookup is right, and the four are named', async () => {
  await using stage = await startStage({ superValidators: 13, config: nothingKept })
  const { localnet } = stage
  const four = ['sv-2', 'sv-5', 'sv-7', 'sv-11']
  for (const name of four) {
    const put = { method: 'PUT', body: '{"kind":"lie"}' }
    expect((await ask(localnet.control, `/super-validators/${name}/fault`, put)).status).toBe(200)
  }
  const shown = JSON.parse((await ask(localnet.control, '/super-validators')).text)
  expect(
    shown.filter(({ fault }: { fault: unknown }) => fault !== null).map(({ name }: { name: string }) => name),
  ).toEqual(four)

  const names = localnet.truth.entries('', 1000).map(({ name }) => name)
  for (let count = 0; count < lookups; count++) {
    const name = count % 3 === 2 ? `nobody-${count}.unverified.cns` : (names[count % names.length] as string)
    const entry = localnet.truth.entryByName(name)
    const expected =
      entry === undefined
        ? { status: 404, truth: { error: `Did not find a AnsEntry with name ${name}` } }
        : { status: 200, truth: { entry } }
    expect(saidIn(await stage.get(byName(name)))).toEqual(expected)
  }

  const votesOf = async (vote: string) => {
    const { families } = await stage.metrics()
    const samples = families.get('scan_proxy_votes_total')?.samples ?? []
    const voted = samples.filter(({ labels, value }) => labels['vote'] === vote && value > 0)
    return voted.map(({ labels }) => labels['sv']).sort()
  }
  await advanceBy(stage, 55)
  expect(await votesOf('dissent')).toEqual([...four].sort())
  expect(await votesOf('lag')).toEqual([])
  expect(await votesOf('agree')).toEqual(stage.names.filter((name) => !four.includes(name)).sort())

  const { cases, bytes } = await stage.report('/evidence')
  const named = new Set(cases.flatMap((kept: { dissent: object }) => Object.keys(kept.dissent)))
  expect([...named].sort()).toEqual([...four].sort())
  expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024)

  expect((await ask(localnet.control, '/faults', { method: 'DELETE' })).status).toBe(200)
  expect((await stage.get(byName('alice.unverified.cns'))).status).toBe(200)
})

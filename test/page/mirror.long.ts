import { expect, test } from 'vitest'
import { moveBetweenSnapshots } from '../mirror/between-snapshots.ts'
import { startLiveStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { open, openBrowser } from './browser.ts'
import { lookUp, violations } from './steps.ts'

test('While all super validators are down, the page shows the answer that callers get from the mirror', async () => {
  await using stage = await startLiveStage({
    config: { 'mirror.level': 'bindings', 'mirror.pollInterval': '100ms' },
  })
  const { control } = stage.localnet
  const name = 'alice.unverified.cns'
  const asCallers = () => stage.get(`/v0/scan-proxy/ans-entries/by-name/${name}`)
  await moveBetweenSnapshots(control)
  await eventually(async () => (await asCallers()).headers['x-bft-as-of'] !== undefined)
  await stage.fault(stage.names, 'refuse')
  const heard = await asCallers()
  expect(heard.status).toBe(200)
  const { user } = JSON.parse(heard.text).entry as { readonly user: string }

  const browser = await openBrowser()
  await using opened = await open(browser, stage.daemon.operations)
  const { page, troubles } = opened
  await lookUp(page, name)
  const answer = page.locator('#answer')
  await answer.getByText('Not agreed', { exact: true }).waitFor()
  expect(await answer.locator('dd.id').first().textContent()).toContain(user)
  const asOf = await answer.locator('.instead time').getAttribute('datetime')
  const seconds = Math.floor(Date.parse(asOf ?? '') / 1000)
  expect(heard.headers['x-bft-as-of']).toContain(`@${seconds};`)
  await answer.getByText('Callers get this answer from the mirror').waitFor()
  expect(await violations(page)).toEqual([])
  expect(troubles).toEqual([])
  await browser.close()
})

test('With the mirror on, the first screen has the newest names and lists others by their beginning, and nobody is asked', async () => {
  await using stage = await startLiveStage({
    config: {
      'ui.public': true,
      'http.missesPerSecond': 5,
      'mirror.level': 'stream',
      'mirror.pollInterval': '100ms',
    },
  })
  await moveBetweenSnapshots(stage.localnet.control)
  await eventually(async () => (await stage.get('/')).text.includes('without a vote'))
  const browser = await openBrowser()
  for (const address of [stage.daemon.operations, stage.daemon.http]) {
    await using opened = await open(browser, address)
    const { page, troubles } = opened
    const now = page.getByRole('region', { name: 'Super validators now' })
    await now.getByText(/Registered or renewed last, says the mirror, as of .* UTC:/).waitFor()
    const names = await now.locator('.entries .name').allTextContents()
    const ends = names.map((name) => stage.localnet.truth.entryByName(name)?.expires_at ?? '')
    expect(names).toHaveLength(5)
    expect(ends).toEqual(ends.toSorted().toReversed())
    const before = stage.asks('ans-entries')
    await now.getByLabel('Beginning of names in the mirror').fill('walr')
    await now.getByRole('button', { name: 'List names, without a vote' }).click()
    const answer = page.getByRole('region', {
      name: /The mirror says, as of .* UTC: Names that begin with walr/,
    })
    await answer.getByText('1 name begins with walr.').waitFor()
    await answer.getByText('from the snapshot and the updates since that').waitFor()
    expect(stage.asks('ans-entries')).toBe(before)
    expect(await violations(page)).toEqual([])
    await answer.getByRole('link', { name: 'Ask the super validators now' }).click()
    await page.getByText(/\d of 4 super validators gave this answer/).waitFor()
    expect(stage.asks('ans-entries')).toBeGreaterThan(before)
    expect(troubles).toEqual([])
  }
  // A list of the mirror costs the visitor a miss, because the page is made for it.
  const lists = Array.from({ length: 20 }, () => stage.get('/?by=prefix&q=walr&from=mirror'))
  expect((await Promise.all(lists)).map(({ status }) => status)).toContain(429)
  await browser.close()
})

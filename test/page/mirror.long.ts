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

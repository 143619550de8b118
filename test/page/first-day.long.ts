import { expect, test } from 'vitest'
import { startLiveRemote } from '../support/daemon.ts'
import { Scans } from '../support/scans.ts'
import { open, openBrowser } from './browser.ts'
import { violations } from './steps.ts'

test('on the first day the page lists the seeds that refuse and says what to do, also on a phone', async () => {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  scans.say({ refuses: { status: 403, error: 'not on the allow-list' } })
  await using remote = await startLiveRemote(scans.urls)
  const browser = await openBrowser()
  for (const width of [1100, 390]) {
    await using opened = await open(browser, remote.daemon.operations, { viewport: { width, height: 800 } })
    const { page, troubles } = opened
    await page.getByText('4 seeds of 4 refuse this machine (401 or 403).').waitFor()
    expect(await page.locator('.seeds tbody tr').count()).toBe(4)
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Examine the network from here' }).click()
    await page.getByText('This daemon remembers nobody who contradicted the others.').waitFor()
    expect(await page.locator('.seeds tbody tr').count()).toBe(4)
    expect(await page.locator('body').textContent()).not.toMatch(/There is none yet|none agreed/)
    await page.getByText('Remote network').waitFor()
    expect(await page.getByText('Speed rank').filter({ visible: true }).count()).toBe(0)
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(troubles).toEqual([])
  }
  await browser.close()
})

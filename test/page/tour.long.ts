import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { open, openBrowser } from './browser.ts'
import { visit } from './steps.ts'

test('on a phone each step of the tour shows its sentence, its button and the whole ring', async () => {
  await using running = await startEmbedded({ 'localnet.superValidators': 7 })
  const browser = await openBrowser()
  const viewport = { width: 390, height: 844 }
  await using opened = await open(browser, `${running.daemon.operations}/localnet`, { viewport })
  const { page } = opened
  await page.locator('.step.next button').click()
  await page.getByText('Step 2:').waitFor()
  for (let step = 2; step <= 6; step++) {
    await page.locator('#told .next-step').locator('a, button').last().click()
    await page
      .locator(step === 6 ? '#told.done:focus' : `#told:focus:has-text("Step ${step + 1}:")`)
      .waitFor()
    const told = await page.locator('#told').boundingBox()
    const ring = await page.locator('#answer .ring').boundingBox()
    expect(told?.y, `the top of step ${step}`).toBeGreaterThanOrEqual(0)
    expect((ring?.y ?? 0) + (ring?.height ?? 844), `the end of the ring of step ${step}`).toBeLessThan(844)
    expect(ring?.y).toBeGreaterThan((told?.y ?? 0) + (told?.height ?? 0))
  }
  await browser.close()
})

test('the tour goes by buttons from one liar to a name that is renewed', async () => {
  await using running = await startEmbedded()
  const browser = await openBrowser()
  await using opened = await open(browser, `${running.daemon.operations}/localnet`)
  const { page, troubles } = opened
  const tour = page.locator('#told')
  const liars = () =>
    running.daemon.localnet?.show().flatMap(({ name, fault }) => (fault === null ? [] : [name]))
  const next = () => page.locator('.step[aria-current=step] strong').textContent()

  const told = async (sentence: string) => {
    const said = page.locator('#told:focus')
    await said
      .getByText(sentence)
      .or(said.filter({ hasText: sentence }))
      .first()
      .waitFor()
    const box = await said.boundingBox()
    expect(box?.y).toBeGreaterThan(0)
    expect(box?.y).toBeLessThan(400)
    const action = said.locator('.next-step').locator('a, button').last()
    if ((await action.count()) === 0) return
    const place = await action.boundingBox()
    expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThan(800)
  }

  expect(await next()).toBe('Make one lie')
  await page.locator('#tour').getByRole('button', { name: 'Make one lie' }).click()
  await page.locator('#live-faults').getByText('lie').waitFor()
  expect(liars()).toEqual(['sv-2'])
  await told('sv-2 lies from now on.')
  const header = await page.locator('header').boundingBox()
  const heading = await page.locator('#tour-heading').boundingBox()
  expect(heading?.y).toBeGreaterThan(header?.height ?? 0)
  expect(await next()).toBe('Look up a name that nobody has')
  await page.locator('#told').getByText('Step 2:').waitFor()

  await tour.getByRole('link', { name: 'Look up', exact: true }).click()
  await page.getByText('Agreed: there is none').waitFor()
  await page.locator('#answer').getByText('sv-2 dissented.').waitFor()
  await told('sv-2 said that mallory has this name, three said that nobody has it: you got the true answer.')

  await tour.getByRole('button', { name: 'Make two lie, and look up' }).click()
  await page.getByText('Do not rely on this answer.').waitFor()
  expect(liars()).toEqual(['sv-2', 'sv-3'])
  await told(
    'Two of four lie: more than f = 1. The answer may be false, and the page says that it is in doubt.',
  )
  expect(await page.locator('#answer dd.id').first().textContent()).toMatch(/^mallory::/)

  await tour.getByRole('link', { name: 'Look up with 2f + 1' }).click()
  await page.getByText('No answer has the threshold. 3 of 4').waitFor()
  await told(
    'the liars kept you from an answer, but you got no false one. Programs that ask this daemon need only its own threshold, and may get the lie.',
  )

  await tour.getByRole('button', { name: '30 days later' }).last().click()
  await page.locator('#answer').getByRole('heading', { name: 'tour.unverified.cns' }).waitFor()
  expect(liars()).toEqual([])
  await told('The clock of this localnet was moved forward by 30 days')
  const happened = () => page.locator('.history li span').allTextContents()
  expect(await happened()).toEqual(['Registered', 'Can be renewed from', 'Expires'])
  await tour.getByRole('button', { name: '30 days later' }).last().click()
  await page.locator('.event-renewed').waitFor()
  expect(await happened()).toEqual(['Registered', 'Renewed', 'Can be renewed from', 'Expires'])
  await told('The wallet has renewed it.')
  await tour.getByRole('button', { name: 'Heal all' }).click()
  await told('All super validators are healthy, and all of them give this answer. This was the tour.')
  await page.locator('#answer').getByText('4 of 4 super validators gave this answer').waitFor()
  expect(await page.locator('.banner').count()).toBe(0)
  expect(await page.locator('#live-headline').textContent()).toContain(
    'All 4 super validators agreed when last asked',
  )
  const colours = `['body', '#answer'].map((part) => getComputedStyle(document.querySelector(part)).getPropertyValue('--good'))`
  const [good, ofAnswer] = (await page.evaluate(colours)) as readonly string[]
  expect(ofAnswer).toBe(good)
  expect(liars()).toEqual([])
  await tour.getByRole('link', { name: 'Back to the localnet' }).click()
  expect(await page.locator('.step.done').count()).toBe(6)
  // The second step before the first one.
  await page.locator('#tour').getByRole('link', { name: 'Look up', exact: true }).click()
  await told('Nobody lies now.')
  await tour.getByText('Step 1:').waitFor()
  await tour.getByRole('button', { name: 'Make one lie' }).waitFor()
  await visit(page, 'network')
  expect(await page.locator('.story').count()).toBe(0)
  expect(await page.locator('#live-roster .share').allTextContents()).toEqual(Array(4).fill('100%'))
  expect(troubles).toEqual([])
  await browser.close()
})

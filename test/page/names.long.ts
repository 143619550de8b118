import { describe, expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { open, showing } from './browser.ts'
import { lookUp } from './steps.ts'

const shown = showing(async () => {
  const running = await startEmbedded()
  for (const name of ['carol', 'carla'])
    await running.daemon.names?.register(name, {
      name: `${name}.unverified.cns`,
      url: '',
      description: '',
    })
  return running
})

const forOperators = (options = {}) => open(shown.browser, shown.running.daemon.operations, options)

describe('The field', () => {
  test('suggests names while somebody types, as a quorum lists them', async () => {
    await using opened = await forOperators()
    const { page, troubles } = opened
    await page.getByLabel('Name, party or beginning of names').pressSequentially('car')
    const options = page.locator('#suggestions option')
    await options.nth(1).waitFor({ state: 'attached' })
    const values = await options.evaluateAll((all) => all.map((option) => option.getAttribute('value')))
    expect(values).toEqual(['carla.unverified.cns', 'carol.unverified.cns'])
    expect(await options.first().getAttribute('label')).toMatch(/^carla::1220/)
    await page.getByLabel('Name, party or beginning of names').fill('carx')
    await expect.poll(() => options.count()).toBe(0)
    expect(troubles).toEqual([])
  })

  test.each([1100, 390])(
    'says below itself what is wrong with what was typed, and covers nothing, in %i pixels',
    async (width) => {
      await using opened = await forOperators({ viewport: { width, height: 700 } })
      const { page, troubles } = opened
      const problem = page.locator('#lookup-problem')
      const boxes = () =>
        Promise.all([page.locator('#q'), problem, page.locator('summary')].map((each) => each.boundingBox()))
      for (const [typed, says] of [
        ['', 'Type a name to look up.'],
        ['..', 'The name has a dot with nothing before or after it.'],
        ['Hello World', 'a space'],
        ['DSO.CNS', 'Names have no capital letters: did you mean dso.cns?'],
      ] as const) {
        await page.getByLabel('Name, party or beginning of names').fill(typed)
        await page.keyboard.press('Enter')
        await problem.getByText(says).waitFor()
        const [field, below, options] = await boxes()
        expect(below?.y).toBeGreaterThanOrEqual((field?.y ?? 0) + (field?.height ?? 0))
        expect(options?.y).toBeGreaterThanOrEqual((below?.y ?? 0) + (below?.height ?? 0))
      }
      expect(troubles).toEqual([])
    },
  )
})

describe('An answer', () => {
  test('tells times as people do, and the exact one where the pointer rests', async () => {
    await using opened = await forOperators()
    const { page } = opened
    await lookUp(page, 'carol.unverified.cns')
    const expires = page.locator('.history .event-expires time')
    expect(await expires.textContent()).toMatch(/^\d{4}-\d\d-\d\d, in (?:89|90) days$/)
    expect(await expires.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    expect(await page.locator('.history .event-registered time').textContent()).toMatch(
      /, (?:just now|\d+ \w+ ago)$/,
    )
  })
})

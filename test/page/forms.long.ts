import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { open, showing } from './browser.ts'
import { isLive } from './steps.ts'

const shown = showing(() => startEmbedded())

test('a wrong registration is corrected in the form that still holds it, and a reload sends nothing again', async () => {
  await using opened = await open(shown.browser, `${shown.running.daemon.operations}/localnet`)
  const { page, troubles } = opened
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
  })
  const form = page.getByRole('form', { name: 'Register a name' })
  await form.getByLabel('Name').fill('No Name')
  await form.getByLabel('For the user').fill('carol')
  await form.getByLabel('Website').fill('https://carol.example')
  await form.getByLabel('Description').fill('Payments to <Carol>')
  await form.getByRole('button', { name: 'Register' }).click()

  await page.getByRole('alert').getByText('it has "N", a space').waitFor()
  await page.locator('#refusal:focus').waitFor()
  expect(new URL(page.url()).pathname).toBe('/localnet')
  expect(await page.evaluate("getComputedStyle(document.querySelector('.card')).borderRadius")).toBe('12px')
  expect(posts).toEqual(['/ui/registrations'])
  await page.reload()
  await page.getByRole('alert').getByText('may have only a to z').waitFor()
  expect(posts).toHaveLength(1)
  expect(await form.getByLabel('Name').inputValue()).toBe('No Name')
  expect(await form.getByLabel('For the user').inputValue()).toBe('carol')
  expect(await form.getByLabel('Website').inputValue()).toBe('https://carol.example')
  expect(await form.getByLabel('Description').inputValue()).toBe('Payments to <Carol>')

  await form.getByLabel('Name').fill('carol')
  await form.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('heading', { name: 'carol.unverified.cns' }).waitFor()
  await page.getByText('4 of 4 super validators gave this answer').waitFor()
  await page.reload()
  await page.getByText('4 of 4 super validators gave this answer').waitFor()
  expect(posts).toHaveLength(2)

  await page.goto(`${shown.running.daemon.operations}/localnet`)
  await form.getByLabel('For the user').fill('carol')
  await form.getByLabel('Name').fill('carol')
  await form.getByRole('button', { name: 'Register' }).click()
  await page
    .getByRole('alert')
    .getByText(/is registered until \d{4}-\d\d-\d\d and owned by/)
    .waitFor()
  expect(troubles).toEqual([])
})

test('after a fault is set and after all are healed, the form is in view with a sentence that says so', async () => {
  await using opened = await open(shown.browser, `${shown.running.daemon.operations}/localnet`)
  const { page } = opened
  const inView = async (sentence: string) => {
    await page.getByText(sentence).waitFor()
    const box = await page.getByText(sentence).boundingBox()
    expect(box?.y).toBeGreaterThan(60)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(800)
  }
  await page.getByLabel('Super validator', { exact: true }).selectOption('sv-3')
  await page.getByLabel('Its scan').selectOption('hang')
  await page.getByRole('button', { name: 'Inject' }).click()
  await inView('From now on the scan of sv-3')
  expect(await page.getByLabel('Super validator', { exact: true }).inputValue()).toBe('sv-3')
  expect(await page.getByLabel('Its scan').inputValue()).toBe('hang')
  await page.locator('#heal-all').click()
  await inView('All are healthy, and the daemon has forgotten who lied.')
  await page.getByRole('button', { name: 'Move' }).click()
  await page.waitForURL(/#clock-heading$/)
})

test('a registration without a user is answered in the page, not by a box over it', async () => {
  await using opened = await open(shown.browser, `${shown.running.daemon.operations}/localnet`)
  const { page } = opened
  const form = page.getByRole('form', { name: 'Register a name' })
  await form.getByLabel('For the user').fill('')
  await form.getByLabel('Website').fill('nonsense')
  await form.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('alert').getByText('Type the user that the name is for.').waitFor()
  await form.getByLabel('For the user').fill('carol')
  await form.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('alert').getByText('The website does not begin with http').waitFor()
})

test('a phone shows the live state and the chosen fault in words that are not cut', async () => {
  await using opened = await open(shown.browser, `${shown.running.daemon.operations}/localnet`, {
    viewport: { width: 390, height: 800 },
  })
  const { page } = opened
  await isLive(page)
  const cut = (selector: string) =>
    page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('${selector}'))`,
    )
  expect(await page.locator('#live-state').textContent()).toBe('live')
  expect(await cut('#live-state')).toBe(false)
  const kinds = await page
    .locator('#fault-kind option')
    .evaluateAll((all) => all.map((one) => one.getAttribute('value') ?? ''))
  expect(kinds.length).toBeGreaterThan(5)
  for (const kind of kinds) {
    await page.getByLabel('Its scan').selectOption(kind)
    await page.locator('#fault-says', { hasText: `${kind}: ` }).waitFor()
    expect(await cut('#fault-says')).toBe(false)
    expect(await cut('#fault-kind')).toBe(false)
  }
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'
import { open, showing } from './browser.ts'
import { lookUp, visit } from './steps.ts'

const shown = showing(() => startEmbedded())

/** Keeps what the page copies in `window.copied`. A clipboard that refuses keeps nothing. */
function clipboard(does: 'keeps' | 'refuses'): string {
  const write = does === 'keeps' ? 'window.copied = text' : "throw new Error('no permission')"
  return `Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { ${write} } } })`
}

test.each([
  ['keeps', 'copied'],
  ['refuses', 'not copied'],
] as const)(
  'a button to copy tells eyes and screen readers what became of it, where the clipboard %s the text',
  async (does, outcome) => {
    await using opened = await open(shown.browser, shown.running.daemon.operations, {}, clipboard(does))
    const { page, troubles } = opened
    await lookUp(page, 'dso.cns')
    const card = page.locator('#answer')
    await card.getByRole('button', { name: 'copy the name' }).click()
    const told = card.getByRole('button', { name: outcome, exact: true })
    await told.waitFor()
    expect(await told.textContent()).toBe(outcome)
    expect(await page.evaluate('window.copied')).toBe(does === 'keeps' ? 'dso.cns' : undefined)
    await card.getByRole('button', { name: 'copy the name' }).waitFor()
    expect(troubles).toEqual([])
  },
)

test('a report that the daemon does not give is not copied, and neither is its error', async () => {
  await using opened = await open(shown.browser, shown.running.daemon.operations, {}, clipboard('keeps'))
  const { page } = opened
  await shown.running.daemon.localnet?.setFault('sv-2', { kind: 'lie' })
  await lookUp(page, 'dso.cns')
  await visit(page, 'network')
  const report = page.getByRole('button', { name: 'copy report for its operator' })
  await report.waitFor()
  await page.route('**/ui/reports/*', (route) => route.fulfill({ status: 429, body: '{"error":"Too many"}' }))
  await report.click()
  await page.getByRole('button', { name: 'not copied' }).waitFor()
  expect(await page.evaluate('window.copied')).toBeUndefined()
  await page.unroute('**/ui/reports/*')
  await report.click()
  await page.getByRole('button', { name: 'copied', exact: true }).waitFor()
  expect(await page.evaluate('window.copied')).toContain('sv-2 contradicted other super validators')
})

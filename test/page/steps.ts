import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Opens another page of the same daemon, if it is not open. */
export async function visit(page: Page, path: string): Promise<void> {
  const url = new URL(`/${path}`, page.url())
  if (new URL(page.url()).pathname !== url.pathname) await page.goto(url.href)
}

export async function inject(page: Page, sv: string, kind: string): Promise<void> {
  await visit(page, 'localnet')
  await page.getByLabel('Super validator', { exact: true }).selectOption(sv)
  await page.getByLabel('Its scan').selectOption(kind)
  await page.getByRole('button', { name: 'Inject' }).click()
  await page.locator('#live-faults li', { hasText: sv }).getByText(kind).waitFor()
}

export async function heal(page: Page, sv: string): Promise<void> {
  await visit(page, 'localnet')
  await page.getByRole('button', { name: `Heal ${sv}` }).click()
  await page.locator('#live-faults li', { hasText: sv }).getByText('healthy').waitFor()
}

export async function lookUp(page: Page, name: string): Promise<void> {
  await visit(page, '')
  await page.getByLabel('Name, party or beginning of names').fill(name)
  await page.getByRole('button', { name: 'Look up', exact: true }).click()
  await page.locator('#answer:not(.outcome-open)').getByRole('heading', { name }).waitFor()
}

export function isLive(page: Page): Promise<void> {
  return page.locator('#live-state[data-state=on]').waitFor()
}

export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** Debian's Chromium, without a window. As root it runs without its sandbox. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}

/** A page as one person has it open. */
export interface Opened extends AsyncDisposable {
  readonly page: Page
  /** Errors of its scripts, what it could not load, and whatever its policy forbids. */
  readonly troubles: readonly string[]
}

const reportViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  console.error('forbidden: ' + violatedDirective + ' ' + blockedURI)
})`

/** @param first a script that runs before those of the page. */
export async function open(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  first = '',
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1100, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const troubles: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text())
  })
  page.on('pageerror', (error) => troubles.push(String(error)))
  await page.addInitScript(reportViolations)
  await page.addInitScript(first)
  await page.goto(url)
  return { page, troubles, [Symbol.asyncDispose]: () => context.close() }
}

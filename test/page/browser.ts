import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

/** Starts Debian's Chromium without its sandbox, because the sandbox does not work for root. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}

/** A browser, and the running daemon whose page it shows. Both can be used in tests only. */
export interface Shown<Running> {
  readonly browser: Browser
  readonly running: Running
}

/** Starts a browser and what it shows before the first test of a file, and ends both after the last one. */
export function showing<Running extends AsyncDisposable>(start: () => Promise<Running>): Shown<Running> {
  const shown = {} as { browser: Browser; running: Running }
  beforeAll(async () => {
    shown.running = await start()
    shown.browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await shown.browser.close()
    await shown.running[Symbol.asyncDispose]()
  })
  return shown
}

export interface Opened extends AsyncDisposable {
  readonly page: Page
  /**
   * Everything that went wrong on the page: errors of its scripts, failed requests, violations of its content security
   * policy.
   */
  readonly troubles: readonly string[]
}

const reportViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  console.error('forbidden: ' + violatedDirective + ' ' + blockedURI)
})`

/** `first` is a script that runs before the scripts of the page. */
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

import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { chaptersOf, isAsStated } from '../docs/walkthrough.ts'
import { Caller } from '../support/caller.ts'
import { childEnv } from '../support/child-env.ts'
import { startEmbedded } from '../support/daemon.ts'

test('the program of the page about the wallet SDK prints what the page says', async () => {
  const page = readFileSync(join(top, 'docs/wallet-sdk.md'), 'utf8')
  const [program] = chaptersOf(page).flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'save'))
  if (program?.kind !== 'save') throw new Error('the page has no program')
  const [, stated = ''] = /```text\n([\s\S]*?)```/.exec(page) ?? []
  await using running = await startEmbedded({ 'ledger.deprecatedFields': 'all' })
  const { http } = running.daemon
  await (await Caller.of('ledger-api-user')).tap(http, '10.0')
  // Below the repository, so that the program finds the SDK.
  const file = join(top, `.wallet-sdk-page-${process.pid}.mjs`)
  writeFileSync(file, program.text)
  try {
    const { stdout } = await promisify(execFile)('node', [file], { env: { ...childEnv, DAEMON: http } })
    expect(isAsStated(stated, stdout), stdout).toBe(true)
  } finally {
    rmSync(file)
  }
})

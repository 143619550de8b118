import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { childEnv } from '../support/child-env.ts'
import { newFolder } from '../support/new-folder.ts'

const folder = newFolder(afterAll)

beforeAll(() => {
  run('write-client-types.ts', folder)
})

test('the table of reads is as the published npm clients know it', () => {
  expect(run('check-reads.ts', join(folder, 'splice'))).toMatch(/^the table of reads is as published/)
})

test('the localnet serves bodies that the published npm clients can read', () => {
  expect(run('check-localnet.ts', join(folder, 'splice'))).toBe(
    'every body of the localnet is as published\n',
  )
})

test('every operation of the published ledger client is served, or listed as not served', () => {
  expect(run('check-served.ts', join(folder, 'ledger-api/openapi-3.5.yaml'))).toContain(
    'what is published is served',
  )
})

function run(script: string, ...args: readonly string[]): string {
  return execFileSync('node', [join(top, '.ci', script), ...args], { env: childEnv, encoding: 'utf8' })
}

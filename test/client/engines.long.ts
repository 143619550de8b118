import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type CannedDaemon, startCannedDaemon } from '../../.ci/canned-daemon.ts'
import { type Outcomes, outcomes } from '../../.ci/client-cases.js'
import * as client from '../../src/client/client.ts'
import { spliceErrors } from '../../src/errors/splice.ts'
import { top } from '../arch/sources.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'

const run = promisify(execFile)

test('the client and all that it imports need ES2023, a browser, and nothing else', async () => {
  const folder = newFolder(onTestFinished)
  const compilerOptions = {
    target: 'es2023',
    // Of ES2024, Node 20 and the browsers of 2023 both have `isWellFormed` only.
    lib: ['es2023', 'es2024.string', 'dom'],
    types: [],
    noEmit: true,
    rootDir: top,
  }
  const files = [join(top, 'src/client/client.ts')]
  const config = { extends: join(top, 'tsconfig.json'), compilerOptions, include: [], files }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(top, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--singleThreaded']).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
}, 180_000)

describe('the client where nothing is newer than Node 20, and nothing is of Node', () => {
  let stage: Stage<undefined>
  let canned: CannedDaemon
  let here: Outcomes
  let there: { readonly told: Outcomes; readonly stripped: number; readonly modules: number }
  beforeAll(async () => {
    stage = await startLiveStage()
    canned = await startCannedDaemon()
    const addresses = { daemon: stage.daemon.http, canned: canned.url, names: canned.names }
    here = await outcomes(client, addresses)
    const child = fileURLToPath(new URL('children/in-a-browser.ts', import.meta.url))
    const flags = ['--disable-warning=ExperimentalWarning', '--experimental-vm-modules']
    const { stdout } = await run(process.execPath, [...flags, child, JSON.stringify(addresses)])
    there = JSON.parse(stdout)
  }, 60_000)
  afterAll(async () => {
    await canned[Symbol.asyncDispose]()
    await stage[Symbol.asyncDispose]()
  })

  test('answers and fails as it does here, for every question and every answer', () => {
    expect(there.told).toEqual(JSON.parse(JSON.stringify(here)))
  })

  test('is tried on values, absences, errors of every kind, and numbers that no double holds', () => {
    expect(there.told).toMatchObject({
      'a value': { kind: 'value', value: { entry: stage.localnet.truth.entryByName('dso.cns') } },
      'an absence': { kind: 'absence', status: 404, agreed: true, voters: 4, isDated: true, isDigest: true },
      'a list of nothing': { value: { entries: [] } },
      'a question with a body': { value: { transactions: [{}] } },
      'a read chosen at run time': { value: { entry: stage.localnet.truth.entryByName('dso.cns') } },
      'an unknown read': { kind: 'ClientError', code: 'unknownRead', retryable: false },
      'an unknown parameter': { kind: 'ClientError', code: 'unknownParameter', retryable: false },
      'a body of another shape': { kind: 'ClientError', code: 'malformedBody' },
      'a body with a member that is undefined': { value: { transactions: [{}] } },
      'a question that is too small': { kind: 'ClientError', code: 'limitTooSmall' },
      'a question with half a character': { kind: 'ClientError', code: 'malformedText' },
      'nobody at the address': { kind: 'ClientError', code: 'unreachable', retryable: true },
      'a caller who leaves': { message: 'enough' },
      'a number that no double holds': { kind: 'value', number: '123456789012345678905e-1' },
      'a key twice': { code: 'misunderstood', status: 200 },
      'a page of somebody else': { code: 'misunderstood', status: 200 },
      tooManyReads: { code: 'tooManyReads', status: 503, retryAfter: 7 },
    })
    expect(Object.keys(there.told)).toEqual(expect.arrayContaining(Object.keys(spliceErrors)))
  })

  test('has really lost what is newer, and loads all of its modules there', () => {
    expect(there.stripped).toBeGreaterThan(50)
    expect(there.modules).toBeGreaterThan(15)
  })
})
